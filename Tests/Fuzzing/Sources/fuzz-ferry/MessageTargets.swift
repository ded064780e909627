import FerrySession
import FuzzSupport

@testable import Ferry
@testable import FerryCore
@testable import FerryFormats
@testable import FerryOperations
@testable import FerryTesting

/// Netlink messages about links and routes.
let netlink = FuzzTarget("netlink") { input in
    let bytes = input.amplified(to: 100_000)
    let messages = bounded { NetlinkMessage.messages(in: bytes[...]) }
    expect(messages.count * NetlinkMessage.headerLength <= bytes.count, "more messages than fit")
    for message in messages {
        if let link = NetlinkLink(message) { expect(!link.name.utf8.contains(0), "a name with a null byte") }
        if let route = bounded({ NetlinkRoute(message) }) {
            expect(route.interfaces.count * 8 <= message.payload.count + 8, "more hops than fit")
        }
    }
    let payload = Array(bytes.prefix(64))
    let request = NetlinkMessage.request(18, isDump: true, sequence: 7, payload: payload)
    let again = NetlinkMessage.messages(in: request[...])
    expect(again.first.map { Array($0.payload) } == payload && again.first?.sequence == 7, "a different message")
}

/// Archives of operations, mostly with a valid checksum, since otherwise the code after its check is not reached.
let operationArchive = FuzzTarget("operation-archive") { input in
    let isSealed = input.byte() < 0xF0
    let body = input.piece(upTo: 32)
    let json = input.amplified(to: 200_000)
    let payload = Data(json) + Data("\n".utf8) + Data(body)
    let data = isSealed ? OperationArchive.seal(payload) : Data("ferry-operation ".utf8) + payload
    guard let archive = try? bounded({ try OperationArchive(data) }) else { return }
    let scheme = archive.request.url?.scheme?.lowercased() ?? ""
    expect(["http", "https"].contains(scheme) && archive.request.url?.host?.isEmpty == false, "not a web address")
    expect(HeaderRule.areFields(archive.request.allHTTPHeaderFields ?? [:]), "malformed fields")
    let record = OperationRecord(archive)
    guard let written = try? OperationArchive(record, serializer: archive.serializer).encoded() else { return }
    guard let again = try? OperationArchive(written) else { fail("an archive that cannot be decoded again") }
    expect(again.request == archive.request && again.isCancelled == archive.isCancelled, "a different operation")
    expect(again.body.data == archive.body.data, "a different body")
}

/// Queries: they contain only allowed bytes, and a simple decoder finds the fields again.
let query = FuzzTarget("query") { input in
    let encoding = QueryEncoding(
        arrays: input.choice([.brackets, .indexed, .repeated, .commaJoined]),
        spaces: input.choice([.percent, .plus])
    )
    let fields = [input.field(), input.field()]
    let name = input.field()
    let last = input.amplifiedText(to: 100_000)
    let parameters = Parameters(.dictionary([name: .array(fields.map { .string($0) }), name + "x": .string(last)]))
    guard let text = try? bounded({ try encoding.encode(parameters) }) else { fail("a dictionary cannot be encoded") }
    let allowed = Set("-._~/?%&=+,".utf8)
    let isQuery = text.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || allowed.contains(byte)
    }
    expect(isQuery, "bytes that are not allowed in a query: \(text)")
    let decoded = text.split(separator: "&", omittingEmptySubsequences: false).map { field in
        field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.replacing("+", with: "%20").removingPercentEncoding ?? "" }
    }
    let wanted = [name + "x", last]
    // Compared as bytes, since Swift's equality considers some different texts equal.
    let isFound = decoded.contains { $0.map { Array($0.utf8) } == wanted.map { Array($0.utf8) } }
    expect(isFound, "\(last) is lost in \(text)")
    let escaped = QueryEncoding.percentEscape(last)
    expect(escaped.removingPercentEncoding.map { Array($0.utf8) } == Array(last.utf8), "\(last) became \(escaped)")
}

/// Multipart bodies, parsed again with the parser of `FerryTesting`.
let multipart = FuzzTarget("multipart") { input in
    guard var form = try? MultipartFormData(boundary: input.bool() ? "boundary" : input.field()) else { return }
    let names = [input.field(), input.field()]
    let fileName = input.field()
    let type = input.field()
    let first = Data(input.field().utf8)
    let second = Data(input.amplified(to: 200_000))
    form.append(first, name: names[0])
    do {
        try form.append(second, name: names[1], fileName: fileName, mimeType: type)
    } catch {
        return
    }
    let body = bounded { readAll(form.makeInputStream()) }
    expect(Int64(body.count) == form.contentLength, "\(body.count) bytes instead of \(form.contentLength)")
    let delimiter = Data("--\(form.boundary)".utf8)
    guard first.range(of: delimiter) == nil, second.range(of: delimiter) == nil else { return }
    guard let parts = bounded({ MultipartParser(boundary: form.boundary).parts(of: body) }), parts.count == 2 else {
        fail("not two parts: \(String(decoding: body, as: UTF8.self))")
    }
    expect(parts[0].body == first && parts[1].body == second, "different bytes")
    expect(parts.allSatisfy { $0.headers.fields.count <= 2 }, "more fields than were written")
}

private func readAll(_ stream: InputStream) -> Data {
    stream.open()
    defer { stream.close() }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 10_000)
    while true {
        let count = stream.read(&buffer, maxLength: buffer.count)
        guard count > 0 else { return data }
        data.append(contentsOf: buffer.prefix(count))
    }
}

/// Multipart bodies as a client of `LoopbackServer` may send them.
let multipartParser = FuzzTarget("multipart-parser") { input in
    let type = input.field()
    // Foundation copies the body for each search, so many parts take quadratic time. Only tests parse them this way.
    let body = Data(input.amplified(to: 20_000))
    let boundary = bounded { FieldParts.parameters(type) }["boundary"] ?? "boundary"
    guard let parts = bounded({ MultipartParser(boundary: boundary).parts(of: body) }) else { return }
    let size = parts.reduce(0) { $0 + $1.body.count }
    expect(size <= body.count, "\(size) bytes in a body of \(body.count)")
    for part in parts { _ = (part.name, part.filename, part.text) }
}

/// Requests as a client of `LoopbackServer` may send them, and the ranges they request.
let requestHead = FuzzTarget("request-head") { input in
    let total = input.number(below: 1 << 20)
    let text = input.amplified(to: 300_000)
    let range = ByteRange(String(decoding: text, as: UTF8.self))
    if let bytes = range?.resolved(total: total) {
        expect(bytes.lowerBound >= 0 && bytes.upperBound <= total && !bytes.isEmpty, "\(bytes) of \(total)")
    }
    let head: RequestHead? = bounded {
        text.withUnsafeBytes { bytes in try? RequestHead(parsing: bytes) }
    }
    guard let head else { return }
    expect(!head.method.isEmpty && !head.target.isEmpty, "no method or target")
    if case .length(let length) = head.framing { expect(length >= 0, "the length \(length)") }
    _ = RequestTarget.queryItems(of: head.target)
    _ = RequestTarget.path(of: head.target)
}
