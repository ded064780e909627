import FuzzSupport

@testable import FerryCore
@testable import FerrySession

/// The API with which a request of a case is made.
enum WireKind: CaseIterable {
    case data, dataWithHandler, upload, uploadStream, uploadFile, download, downloadWithHandler, resume, async,
        cancelled
    case suspended
}

/// The session under test, and a healthy server for comparison.
final class WireClient {
    private static let requestTimeout = 0.2
    private static let resourceTimeout = 2.0
    /// The seconds within which a task must end: its resource timeout, and more for a busy machine.
    private static let patience = 20.0

    private var session: CurlSession
    private let delegate = WireDelegate()
    private let healthy: WirePeer
    private let healthyURL: URL
    private let folder: URL
    private var cases = 0
    private var baseline: (threads: Int, descriptors: Int)?

    init() {
        folder = URL(fileURLWithPath: "/dev/shm/ferry-wire-\(getpid())", isDirectory: true)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: "/dev/shm/ferry-wire-\(getpid())") }
        session = Self.makeSession(delegate, folder)
        healthy = WirePeer()
        var answer = WireAnswer()
        answer.text = Array("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nhealthy".utf8)
        guard let url = healthy.begin([answer]).first else { fail("no URL") }
        healthyURL = url
    }

    private static func makeSession(_ delegate: WireDelegate, _ folder: URL) -> CurlSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = requestTimeout
        configuration.timeoutIntervalForResource = resourceTimeout
        var options = CurlSession.Options()
        options.maximumRedirects = 4
        options.temporaryDirectory = folder
        options.proxy = .none
        // The HTTP/2 peers have self-signed certificates.
        options.tls.dangerouslyDisablesVerification = true
        options.cache = HTTPCache(memoryCapacity: 1_000_000)
        return CurlSession(configuration: configuration, options: options, delegate: delegate, delegateQueue: nil)
    }

    /// Runs the requests one after another or concurrently, and waits for all.
    func run(_ requests: [(kind: WireKind, request: URLRequest)], areConcurrent: Bool) {
        var waiting: [(WireKind, DispatchSemaphore)] = []
        for (kind, request) in requests {
            let semaphore = start(kind, request)
            if areConcurrent { waiting.append((kind, semaphore)) } else { wait(kind, semaphore) }
        }
        for (kind, semaphore) in waiting { wait(kind, semaphore) }
    }

    private func wait(_ kind: WireKind, _ semaphore: DispatchSemaphore) {
        let isInTime = semaphore.wait(timeout: .now() + Self.patience) == .success
        expect(isInTime, "a task of the kind \(kind) did not end")
    }

    private func start(_ kind: WireKind, _ request: URLRequest) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        var post = request
        post.httpMethod = "POST"
        let body = Data(repeating: 0x61, count: 3_000)
        switch kind {
        case .data, .cancelled, .suspended:
            return startWatched(session.dataTask(with: request), kind)
        case .dataWithHandler:
            let once = CompletesOnce()
            session.dataTask(with: request) { data, response, error in
                once.complete()
                expect(error != nil || response != nil, "neither an error nor a response")
                expect(error == nil || data == nil || response != nil, "data without a response")
                expect(data != WireAnswer.unasked, "a response to no request")
                done.signal()
            }.resume()
        case .upload:
            let once = CompletesOnce()
            session.uploadTask(with: post, from: body) { _, _, _ in
                once.complete()
                done.signal()
            }.resume()
        case .uploadStream: return startWatched(session.uploadTask(withStreamedRequest: post), kind)
        case .uploadFile:
            let file = folder.appendingPathComponent("upload")
            if !FileManager.default.fileExists(atPath: file.path) { try? body.write(to: file) }
            return startWatched(session.uploadTask(with: post, fromFile: file), kind)
        case .download: return startWatched(session.downloadTask(with: request), kind)
        case .downloadWithHandler, .resume:
            let once = CompletesOnce()
            let session = session
            session.downloadTask(with: request) { _, _, error in
                once.complete()
                let resumeData = (error as? URLError)?.userInfo[URLSessionDownloadTaskResumeData] as? Data
                guard kind == .resume, let resumeData else {
                    done.signal()
                    return
                }
                session.downloadTask(withResumeData: resumeData) { _, _, _ in done.signal() }.resume()
            }.resume()
        case .async:
            let session = session
            Task {
                let result = try? await session.data(for: request)
                expect(result?.0 != WireAnswer.unasked, "a response to no request")
                done.signal()
            }
        }
        return done
    }

    private func startWatched(_ task: URLSessionTask, _ kind: WireKind) -> DispatchSemaphore {
        let done = delegate.watch(task)
        task.resume()
        if kind == .suspended {
            sched_yield()
            task.suspend()
            sched_yield()
            task.resume()
        }
        if kind == .cancelled {
            sched_yield()
            task.cancel()
        }
        return done
    }

    /// Checks after every case that a plain request to a healthy server succeeds promptly.
    func checkHealth() {
        let done = DispatchSemaphore(value: 0)
        let result = Box<(Data?, (any Error)?)>((nil, nil))
        var request = URLRequest(url: healthyURL)
        request.timeoutInterval = 10
        request.cachePolicy = .reloadIgnoringLocalCacheData
        session.dataTask(with: request) { data, _, error in
            result.value.withLock { $0 = (data, error) }
            done.signal()
        }.resume()
        // One second, multiplied by five.
        expect(done.wait(timeout: .now() + 5) == .success, "no response from a healthy server")
        let (data, error) = result.value.withLock { $0 }
        expect(
            error == nil && data == Data("healthy".utf8),
            "a healthy request: \(String(describing: error)), \(data ?? Data())"
        )
        delegate.forget()
        cases += 1
        if cases % 200 == 0 { checkUsage() }
    }

    /// Checks that threads and descriptors are released with the session.
    private func checkUsage() {
        session.finishTasksAndInvalidate()
        session = Self.makeSession(delegate, folder)
        var usage = (threads: 0, descriptors: 0)
        for _ in 0..<1_000 {
            usage = (Self.count("/proc/self/task"), Self.count("/proc/self/fd"))
            guard let baseline else { break }
            if usage.threads <= baseline.threads + 4, usage.descriptors <= baseline.descriptors + 4 { break }
            usleep(10_000)
        }
        guard let baseline else {
            // The first time, everything that is created once exists; connections being closed may still count.
            baseline = (usage.threads + 8, usage.descriptors + 8)
            return
        }
        expect(usage.threads <= baseline.threads + 4, "\(usage.threads) threads, \(baseline.threads) before")
        expect(
            usage.descriptors <= baseline.descriptors + 4,
            "\(usage.descriptors) files, \(baseline.descriptors) before"
        )
        let left = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.count ?? 0
        expect(left < 2_000, "\(left) temporary files")
    }

    private static func count(_ path: String) -> Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).count
    }
}

/// Ends the process if `complete()` is called twice.
private final class CompletesOnce: Sendable {
    private let isDone = FerryCore.Mutex(false)

    func complete() {
        let wasDone = isDone.withLock { isDone in
            defer { isDone = true }
            return isDone
        }
        expect(!wasDone, "a completion handler was called twice")
    }
}

private final class Box<Value: Sendable>: Sendable {
    let value: FerryCore.Mutex<Value>

    init(_ value: sending Value) {
        self.value = FerryCore.Mutex(value)
    }
}
