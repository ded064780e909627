import AsyncHTTPClient
import BenchmarkSupport
import Foundation
import NIOCore

/// The workloads with AsyncHTTPClient.
struct ClientWorkloads {
    let order: WorkOrder
    private let client: HTTPClient

    init(_ order: WorkOrder, _ client: HTTPClient) {
        self.order = order
        self.client = client
    }

    func run() async throws -> Sample {
        switch order.work {
        case .requests where order.face == "futures":
            try Measuring.run(order, start: fetchWithFuture)
        case .requests: try await Measuring.run(order, request: fetch)
        case .discard: try await Measuring.run(order) { try await read { _ in } }
        case .download: try await download()
        case .upload: try await upload()
        case .uploadData:
            try await upload(.bytes(ByteBuffer(repeating: 0, count: order.bytes)))
        case .uploadSequence: try await upload(.stream(pieces, length: .known(Int64(order.bytes))))
        case .uploadChunks: try await upload(.stream(pieces, length: .unknown))
        case .writes:
            try await upload(.stream(PacedWrites(order.bytes / 100, rate: 10_000, of: piece(100)), length: .unknown))
        default:
            throw BenchmarkError("AsyncHTTPClient does not support \(order.work.rawValue)")
        }
    }

    // MARK: - Downloads

    private func fetch() async throws {
        let response = try await client.execute(HTTPClientRequest(url: order.url.absoluteString), timeout: .minutes(2))
        let body = try await response.body.collect(upTo: order.bytes + 1)
        try check(Int(response.status.code), body.readableBytes)
    }

    private var fetchWithFuture: Pump.Start {
        { [order, client] completed in
            do {
                let request = try HTTPClient.Request(url: order.url.absoluteString)
                client.execute(request: request).whenComplete { result in
                    switch result {
                    case .failure(let error): completed(error)
                    case .success(let response):
                        let bytes = response.body?.readableBytes ?? 0
                        let status = Int(response.status.code)
                        completed(BenchmarkError.response(status: status, bytes: bytes, expected: order.bytes))
                    }
                }
            } catch {
                completed(error)
            }
        }
    }

    /// Reads a body in chunks.
    private func read(_ use: (ByteBuffer) throws -> Void) async throws {
        let response = try await client.execute(HTTPClientRequest(url: order.url.absoluteString), timeout: .minutes(2))
        var count = 0
        for try await chunk in response.body {
            count += chunk.readableBytes
            try use(chunk)
        }
        try check(Int(response.status.code), count)
    }

    private func download() async throws -> Sample {
        let path = try order.requiredFile().path
        return try await Measuring.run(order) {
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw BenchmarkError("\(path) cannot be written") }
            defer { close(file) }
            try await read { chunk in
                try chunk.withUnsafeReadableBytes { bytes in
                    guard write(file, bytes.baseAddress, bytes.count) == bytes.count else {
                        throw BenchmarkError("\(path) cannot be written")
                    }
                }
            }
        }
    }

    // MARK: - Uploads

    private func upload() async throws -> Sample {
        let path = try order.requiredFile().path
        let length = Int64(order.bytes)
        return try await Measuring.run(order) {
            try await send(.stream(FileChunks(path: path), length: .known(length)))
        }
    }

    private func upload(_ body: HTTPClientRequest.Body) async throws -> Sample {
        try await Measuring.run(order) { try await send(body) }
    }

    /// The body in pieces of 64 KiB.
    private var pieces: RepeatedPieces<ByteBuffer> { RepeatedPieces(order.bytes / 65_536, of: piece(65_536)) }

    private func piece(_ size: Int) -> ByteBuffer { ByteBuffer(repeating: UInt8(ascii: "a"), count: size) }

    private func send(_ body: HTTPClientRequest.Body) async throws {
        var request = HTTPClientRequest(url: order.url.absoluteString)
        request.method = .PUT
        request.body = body
        let response = try await client.execute(request, timeout: .minutes(2))
        let answer = try await response.body.collect(upTo: 1024)
        try check(Int(response.status.code), Int(String(buffer: answer)) ?? 0)
    }

    private func check(_ status: Int, _ bytes: Int) throws {
        if let error = BenchmarkError.response(status: status, bytes: bytes, expected: order.bytes) { throw error }
    }
}
