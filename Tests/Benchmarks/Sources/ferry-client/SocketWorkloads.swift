import BenchmarkSupport
import Ferry
import FerryWebSockets
import Foundation

/// The workloads with WebSockets.
struct SocketWorkloads {
    private let order: WorkOrder
    private let session: CurlSession
    private let message: WebSocketTask.Message

    init(_ order: WorkOrder) {
        self.order = order
        session = CurlSession(order)
        message = .data(order.body)
    }

    func run() async throws -> Sample {
        var others: [WebSocketTask] = []
        if order.work == .echo {
            for _ in 0..<max(0, order.inFlight - 1) { others.append(try await open()) }
        }
        defer { withExtendedLifetime(others) {} }
        let socket = try await open()
        try await roundTrips(order.warmUp, socket)
        let stopwatch = Stopwatch()
        switch order.work {
        case .echo:
            try await roundTrips(order.count, socket)
            return stopwatch.sample(count: order.count)
        case .echoStream:
            async let sent: Void = send(order.count, socket)
            for _ in 0..<order.count { try await receive(socket) }
            try await sent
            return stopwatch.sample(count: order.count)
        case .idle:
            let before = ProcessUsage.memory
            var sockets: [WebSocketTask] = []
            for _ in 0..<order.count { sockets.append(try await open()) }
            let growth = Double(ProcessUsage.memory - before) / Double(max(1, order.count))
            return withExtendedLifetime(sockets) {
                stopwatch.sample(count: order.count, extras: ["memoryPerTask": growth])
            }
        default: throw BenchmarkError("WebSockets do not support \(order.work.rawValue)")
        }
    }

    private func open() async throws -> WebSocketTask {
        let socket = session.webSocket(with: order.url)
        socket.resume()
        try await socket.waitUntilOpen()
        return socket
    }

    private func roundTrips(_ count: Int, _ socket: WebSocketTask) async throws {
        for _ in 0..<count {
            try await socket.send(message)
            try await receive(socket)
        }
    }

    private func send(_ count: Int, _ socket: WebSocketTask) async throws {
        for _ in 0..<count { try await socket.send(message) }
    }

    private func receive(_ socket: WebSocketTask) async throws {
        guard try await socket.receive() == message else { throw BenchmarkError("a message is wrong") }
    }
}
