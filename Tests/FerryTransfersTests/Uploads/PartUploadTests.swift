import Testing

@testable import FerryTransfers

@Suite(.timeLimit(.minutes(5)))
struct PartUploadTests {
    private static let count = 1_000_000
    private let folder: TemporaryFolder
    private let session = makeSession()
    private let content = LoopbackServer.pattern(count: Self.count)
    private let store = Store()
    private let server: LoopbackServer

    /// The state of a server: the parts, and the largest number of concurrent requests.
    private final class Store: Sendable {
        struct State {
            var parts: [Int: Data] = [:]
            var requests: [Int: Int] = [:]
            var inProgress = 0
            var mostInProgress = 0
            /// The number of concurrent requests that must have arrived before any is answered.
            var awaited = 1
            var manifest = ""
            /// The responses instead of success, by the number of the part, to the first requests of each; 0 is the
            /// manifest.
            var faults: [Int: [Fault]] = [:]
        }

        enum Fault {
            case status(Int)
            case reset
        }

        static let errorBody = Data("<Code>AccessDenied</Code>".utf8) + Data(count: 100_000)
        let state = Mutex(State())

        func answer(_ request: LoopbackRequest) -> LoopbackResponse {
            guard let number = Int(request.path.dropFirst("/part/".count)) else {
                state.withLock { $0.manifest = String(decoding: request.body, as: UTF8.self) }
                guard case .status(let status)? = state.withLock({ $0.faults[0]?.first }) else { return .text("done") }
                return .data(Self.errorBody, statusCode: status)
            }
            let fault = state.withLock { state -> Fault? in
                state.requests[number, default: 0] += 1
                state.inProgress += 1
                state.mostInProgress = max(state.mostInProgress, state.inProgress)
                if state.faults[number]?.isEmpty == false { return state.faults[number]?.removeFirst() }
                state.parts[number] = request.body
                return nil
            }
            usleep(20_000)
            for _ in 0..<4_000 {
                if state.withLock({ $0.mostInProgress >= $0.awaited }) { break }
                usleep(5_000)
            }
            state.withLock { $0.inProgress -= 1 }
            switch fault {
            case .status(let status): return .data(Self.errorBody, statusCode: status)
            case .reset: return LoopbackResponse().faulted(.resetBeforeHead)
            case nil: return LoopbackResponse(headers: ["ETag": "\"\(number)\""])
            }
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        try content.write(to: folder.file("file"))
        let store = store
        server = try LoopbackServer { store.answer($0) }
    }

    private func upload(partSize: Int64 = 150_000) -> PartUpload {
        var upload = PartUpload(folder.file("file")) { [server] part in
            var request = URLRequest(url: server.url("/part/\(part.number)"))
            request.httpMethod = "PUT"
            return request
        }
        upload.partSize = partSize
        upload.manifest = { [server] receipts in
            var request = URLRequest(url: server.url("/manifest"))
            request.httpMethod = "POST"
            request.httpBody = Data(receipts.map { "\($0.number)=\($0.entityTag ?? "")" }.joined(separator: " ").utf8)
            return request
        }
        return upload
    }

    private var received: Data {
        store.state.withLock { state in state.parts.sorted { $0.key < $1.key }.reduce(Data()) { $0 + $1.value } }
    }

    @Test("All parts are sent, several at once, and the manifest has their receipts in order")
    func whole() async throws {
        store.state.withLock { $0.awaited = 2 }
        let progress = Mutex<[TransferProgress]>([])
        let outcome = try await session.upload(upload()) { update in progress.withLock { $0.append(update) } }
        #expect(received == content)
        #expect(outcome.receipts.map(\.number) == Array(1...7))
        #expect(outcome.manifest?.data == Data("done".utf8))
        store.state.withLock { state in
            #expect(state.manifest == (1...7).map { "\($0)=\"\($0)\"" }.joined(separator: " "))
            #expect((2...4).contains(state.mostInProgress))
            #expect(state.requests.values.allSatisfy { $0 == 1 })
        }
        #expect(progress.withLock { $0.last }?.fractionCompleted == 1)
    }

    @Test("A part that is posted without a type is no form")
    func posted() async throws {
        var upload = upload(partSize: Int64(Self.count))
        upload.request = { [server] part in
            var request = URLRequest(url: server.url("/part/\(part.number)"))
            request.httpMethod = "POST"
            return request
        }
        upload.manifest = nil
        try await session.upload(upload)
        #expect(server.requests.map { $0.header("Content-Type") } == ["application/octet-stream"])
    }

    @Test("Only the parts that failed for a passing reason are sent again")
    func repeated() async throws {
        store.state.withLock { $0.faults = [2: [.status(503), .reset], 7: [.status(429)]] }
        try await session.upload(upload())
        #expect(received == content)
        #expect(store.state.withLock { $0.requests } == [1: 1, 2: 3, 3: 1, 4: 1, 5: 1, 6: 1, 7: 2])
    }

    @Test("Each attempt has its own request, also in a session that repeats requests")
    func ownRequests() async throws {
        store.state.withLock { $0.faults = [2: [.status(503)]] }
        var upload = upload()
        let asked = Watched<[Int]>([])
        upload.request = { [request = upload.request] part in
            asked.change { $0.append(part.number) }
            return try await request(part)
        }
        try await makeSession(retrying: []).upload(upload)
        #expect(received == content)
        #expect(asked.current.sorted() == [1, 2, 2, 3, 4, 5, 6, 7])
    }

    @Test("A lasting failure ends the upload, and the next run sends the other parts")
    func continued() async throws {
        store.state.withLock { $0.faults = [6: [.status(403)]] }
        let receipts = Mutex<[PartUpload.Receipt]>([])
        var upload = upload()
        upload.partDidFinish = { receipt in receipts.withLock { $0.append(receipt) } }
        let error = await failure { try await session.upload(upload) }
        #expect(failedStatus(of: error) == 403)
        #expect(store.state.withLock { $0.manifest }.isEmpty)
        let first = receipts.withLock { $0 }
        #expect(!first.isEmpty && first.allSatisfy { $0.number != 6 })

        // Numbers that the file does not have are ignored.
        upload.receipts = first + [PartUpload.Receipt(number: 99, entityTag: nil)]
        let before = store.state.withLock { $0.requests }
        #expect(try await session.upload(upload).receipts.count == 7)
        #expect(received == content)
        for receipt in first {
            #expect(store.state.withLock { $0.requests[receipt.number] } == before[receipt.number])
        }
    }

    @Test("An error has the response and the beginning of its body", arguments: [1, 0])
    func errorBody(number: Int) async throws {
        store.state.withLock { $0.faults = [number: [.status(403)]] }
        let error = await failure { try await session.upload(upload()) }
        guard case FileUploadError.unacceptableStatusCode(403, let response?, let body)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.url?.lastPathComponent == (number == 0 ? "manifest" : "1"))
        #expect(body == Store.errorBody.prefix(65_536))
    }

    @Test("The first lasting failure ends the upload, however many parts are left")
    func firstFailure() async throws {
        store.state.withLock { ($0.faults, $0.awaited) = ([1: [.status(403)]], 2) }
        var upload = upload(partSize: 10_000)
        upload.maximumConcurrentParts = 2
        #expect(failedStatus(of: await failure { try await session.upload(upload) }) == 403)
        // There would be a hundred requests, and each takes a while.
        #expect(store.state.withLock { $0.requests.count } < 50)
    }

    @Test("A part that has grown since it was sent is sent again, and a receipt without a length counts")
    func grown() async throws {
        let upload = upload()
        let receipts = try await session.upload(upload).receipts
        #expect(receipts.dropLast().allSatisfy { $0.length == 150_000 } && receipts.last?.length == 100_000)
        let data = try JSONEncoder().encode(receipts)
        var next = upload
        next.receipts = try JSONDecoder().decode([PartUpload.Receipt].self, from: data)
        next.receipts[0].length = nil
        let grown = LoopbackServer.pattern(count: Self.count + 20_000)
        try grown.write(to: folder.file("file"))
        #expect(try await session.upload(next).receipts.last?.length == 120_000)
        #expect(received == grown)
        #expect(store.state.withLock { $0.requests } == [1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 2])
    }

    @Test("Six passing failures in a row are an error, and a cancelled upload throws cancelled")
    func ends() async throws {
        store.state.withLock { $0.faults = [1: Array(repeating: .status(500), count: 6)] }
        var upload = upload(partSize: .max)
        #expect(failedStatus(of: await failure { try await session.upload(upload) }) == 500)
        #expect(store.state.withLock { $0.requests } == [1: 6])
        upload.limit = BandwidthLimit(bytesPerSecond: 1_000)
        let task = Task { [session, upload] in try await session.upload(upload) }
        try await eventually("a request") { server.connectionCount > 0 }
        task.cancel()
        #expect((await failure { try await task.value } as? URLError)?.code == .cancelled)
    }

    @Test("The error of the closure is the upload's, and a missing file is an error")
    func errors() async throws {
        struct Refused: Error {}
        let refused = PartUpload(folder.file("file")) { _ in throw Refused() }
        #expect(await failure { try await session.upload(refused) } is Refused)
        let missing = PartUpload(folder.file("missing")) { _ in throw Refused() }
        guard case .file(_, ENOENT, _) = await failure({ try await session.upload(missing) }) as? FileUploadError else {
            Issue.record("the file is not missing")
            return
        }
    }

    @Test(
        "A file is divided into parts without gaps",
        arguments: [(0, 5), (1, 5), (5, 5), (11, 5), (7, 0), (Int64.max, .max), (.max - 1, 1 << 40)] as [(Int64, Int64)]
    )
    func parts(size: Int64, partSize: Int64) {
        let parts = PartList(size: size, partSize: partSize)
        #expect(parts[0].range.lowerBound == 0 && parts[0].number == 1)
        #expect(parts[parts.count - 1].range.upperBound == size)
        for index in 1..<max(2, min(parts.count, 100)) where index < parts.count {
            #expect(parts[index].range.lowerBound == parts[index - 1].range.upperBound)
            #expect(!parts[index].range.isEmpty)
        }
    }
}
