import BenchmarkSupport
import Foundation

/// Runs one client in one workload, in a separate process.
final class ClientRunner {
    /// The seconds after which a client is killed; no workload takes as long with any client.
    private static let limit = 150.0

    private let folder: WorkFolder
    private let programs: Programs
    private let nginx: NginxServer
    private let sink: SinkServer
    private lazy var echo = Result { try EchoServer(programs.echoServer.get(), folder: folder) }
    private var number = 0

    init(folder: WorkFolder, programs: Programs, nginx: NginxServer, sink: SinkServer) {
        self.folder = folder
        self.programs = programs
        self.nginx = nginx
        self.sink = sink
    }

    /// Runs the client; any failure is part of the outcome.
    func run(_ workload: Workload, client: String) -> Outcome {
        let command: [String]
        let order: WorkOrder
        do {
            command = try self.command(workload, client: client)
            if let counter = workload.counter { try programs.prepare(counter) }
            number += 1
            let place = try folder.makeFolder("run-\(number)")
            defer { try? FileManager.default.removeItem(at: place) }
            order = try makeOrder(workload, client: client, in: place)
            do {
                guard let counter = workload.counter else { return .sample(try measure(command, order, in: place)) }
                return .sample(try count(counter, command, order, in: place))
            } catch {
                return .failed("\(error)")
            }
        } catch {
            return .notMeasured("\(error)")
        }
    }

    private func measure(
        _ command: [String],
        _ order: WorkOrder,
        environment: [String: String] = [:],
        in place: URL
    ) throws -> Sample {
        let text = try Command.run(
            command + order.arguments,
            environment: environment,
            in: place,
            seconds: Self.limit
        )
        return try JSONDecoder().decode(Sample.self, from: Data(text.utf8))
    }

    /// Counts as the difference between a longer and a shorter run, which cancels the cost of starting.
    private func count(_ counter: Counter, _ command: [String], _ order: WorkOrder, in place: URL) throws -> Sample {
        let counting = try programs.counting(counter, command, writingTo: place.appending(path: "count.txt"))
        func count(_ requests: Int) throws -> (sample: Sample, number: Int) {
            var order = order
            order.count = requests
            do {
                let sample = try measure(counting.command, order, environment: counting.environment, in: place)
                return (sample, try counting.number())
            } catch {
                guard counter == .instructions else { throw error }
                let hint = "valgrind cannot read Swift's shared libraries, so build with --static-swift-stdlib"
                throw BenchmarkError("\(error) (\(hint))")
            }
        }
        let warmUp = 200
        let short = try count(warmUp)
        var long = try count(warmUp + order.count)
        long.sample.extras[counter.rawValue] = Double(long.number - short.number) / Double(order.count)
        return long.sample
    }

    // MARK: - The client's order

    private func makeOrder(_ workload: Workload, client: String, in place: URL) throws -> WorkOrder {
        let face = client.drop { $0 != ":" }.dropFirst()
        var order = WorkOrder(
            work: workload.work,
            face: String(face),
            url: try url(workload),
            count: workload.count,
            inFlight: workload.inFlight,
            bytes: workload.bytes
        )
        order.warmUp = workload.warmUp
        order.connections = workload.connections
        switch workload.file {
        case .output: order.file = place.appending(path: "body.bin")
        case .input(let name): order.file = nginx.file(name)
        case nil: order.file = nil
        }
        if case .http2 = workload.server { order.authority = nginx.certificates.authority }
        return order
    }

    private func url(_ workload: Workload) throws -> URL {
        switch workload.server {
        case .plain(let name): nginx.plain(name)
        case .http2(let name): nginx.http2(name)
        case .sink: sink.url("sink")
        case .delay(let milliseconds): sink.url("delay/\(milliseconds)")
        case .echo: try echo.get().url
        }
    }

    /// Returns the client's command.
    ///
    /// A client that cannot be given an authority gets another list of system authorities.
    private func command(_ workload: Workload, client: String) throws -> [String] {
        let program = try programs.program(of: client).path
        guard case .http2 = workload.server, client.hasPrefix("urlsession") else { return [program] }
        let bundle = URL(fileURLWithPath: "/etc/ssl/certs/ca-certificates.crt").resolvingSymlinksInPath().path
        guard getuid() == 0, FileManager.default.fileExists(atPath: bundle) else {
            throw BenchmarkError("URLSession cannot be given an authority, and only root can replace \(bundle) for it")
        }
        let script = #"mount --bind "$0" "$1" && shift && exec "$@""#
        return ["unshare", "--mount", "sh", "-c", script, nginx.certificates.authority.path, bundle, program]
    }
}
