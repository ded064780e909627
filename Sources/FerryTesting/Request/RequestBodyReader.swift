/// A reader for one request body; it is used only on the connection's thread.
struct RequestBodyReader {
    enum Outcome: Equatable {
        case complete
        case stoppedAtLimit
        case clientLeft
    }

    let reader: ByteReader
    let socket: Socket
    let pace: Pace

    /// The number of bytes after which reading stops.
    let limit: Int

    var collector: BodyCollector
    var trailers = LoopbackHeaders()

    mutating func read(_ framing: RequestHead.BodyFraming) throws(ProtocolViolation) -> Outcome {
        switch framing {
        case .none: .complete
        case .length(let count): readBytes(count)
        case .chunked: try readChunks()
        }
    }

    private mutating func readBytes(_ count: Int) -> Outcome {
        var left = count
        while left > 0 {
            let allowed = min(left, limit - collector.length)
            guard allowed > 0 else { return .stoppedAtLimit }
            let used = readSome(upTo: min(allowed, pace.sliceSize))
            guard used > 0, pace.wait(after: used, on: socket) else { return .clientLeft }
            left -= used
        }
        return .complete
    }

    private mutating func readSome(upTo count: Int) -> Int {
        if reader.isEmpty, count >= 65536 { return readDirectly(upTo: count) }
        if reader.isEmpty, !reader.fill() { return 0 }
        let bytes = UnsafeRawBufferPointer(rebasing: reader.available.prefix(count))
        collector.append(bytes)
        reader.consume(bytes.count)
        return bytes.count
    }

    private mutating func readDirectly(upTo count: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: min(count, 262_144), alignment: 16) { scratch in
            let received = reader.readDirectly(into: scratch)
            collector.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(scratch).prefix(received)))
            return received
        }
    }

    /// Reads a chunked body (RFC 9112 section 7.1).
    private mutating func readChunks() throws(ProtocolViolation) -> Outcome {
        while collector.length < limit {
            guard let line = try reader.readLine(limit: 4096) else { return .clientLeft }
            let size = try Self.chunkSize(line)
            guard size > 0 else { return try readTrailers() }
            let outcome = readBytes(size)
            guard outcome == .complete else { return outcome }
            // The client may wait for the response before it sends anything else.
            guard collector.length < limit else { break }
            // The line can only be empty: longer ones exceed the limit.
            guard try reader.readLine(limit: 2, excess: "chunk longer than its size") != nil else {
                return .clientLeft
            }
        }
        return .stoppedAtLimit
    }

    private mutating func readTrailers() throws(ProtocolViolation) -> Outcome {
        while let line = try reader.readLine(limit: 65536) {
            if line.isEmpty { return .complete }
            trailers.fields.append(try Self.field(line))
        }
        return .clientLeft
    }

    private static func field(_ line: [UInt8]) throws(ProtocolViolation) -> LoopbackHeaders.Field {
        let result = line.withUnsafeBytes { bytes in
            Result { () throws(ProtocolViolation) in try RequestHead.field(bytes[...]) }
        }
        return try result.get()
    }

    /// Returns the number before any chunk extension.
    static func chunkSize(_ line: [UInt8]) throws(ProtocolViolation) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 32 && $0 != 9 }
        guard !digits.isEmpty, digits.count <= 15, digits.first != UInt8(ascii: "+"),
            digits.first != UInt8(ascii: "-"),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw ProtocolViolation("malformed chunk size") }
        return size
    }
}

/// A collector that keeps the beginning of a body, and counts and hashes all of it.
struct BodyCollector {
    static let emptyDigest = SHA256Hash().digest.hexadecimal

    private let limit: Int
    private var hash: SHA256Hash?
    private(set) var kept = Data()
    private(set) var length = 0

    init(_ configuration: LoopbackServer.Configuration) {
        limit = configuration.keptBodySize
        hash = configuration.hashesBodies ? SHA256Hash() : nil
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        length += bytes.count
        hash?.update(bytes)
        if kept.count < limit { kept.append(contentsOf: bytes.prefix(limit - kept.count)) }
    }

    var digest: String {
        guard let hash else { return "" }
        return length == 0 ? Self.emptyDigest : hash.digest.hexadecimal
    }
}
