import FuzzSupport

@testable import FerryCache
@testable import FerryCore
@testable import FerrySession

/// The cache's files: damaged ones, and intact ones with contents that no cache would write.
let cacheFile = FuzzTarget("cache-file") { input in
    switch input.number(below: 3) {
    case 0:
        let bytes = input.amplified(to: 500_000)
        if let (record, body) = bounded({ CacheFile.decode(Data(bytes)) }) { use(record, body) }
    case 1:
        // A file with a valid checksum and arbitrary JSON.
        let body = input.piece(upTo: 64)
        let bytes = CacheFileBytes.sealed(meta: input.amplified(to: 300_000), body: body)
        if let (record, body) = bounded({ CacheFile.decode(bytes) }) {
            use(record, body)
            find(bytes)
        }
    default:
        var record = CacheFile.Record()
        record.stored = storedResponse(&input)
        record.bodyLength = input.number(below: 1 << 20)
        let body = Data(input.piece(upTo: 200))
        guard var data = CacheFile.encode(record, body: body) else { return }
        // Records that no cache would write are not read.
        guard record.isValid else { return expect(CacheFile.decode(data) == nil, "a forged record was read") }
        guard let again = CacheFile.decode(data) else { fail("a file that cannot be decoded again") }
        expect(again.record == record && again.body == body, "a different record")
        let place = input.number(below: data.count)
        let mask = input.byte()
        data[data.startIndex + place] ^= mask
        if let damaged = CacheFile.decode(data) { expect(mask == 0, "damage at \(place) was not noticed: \(damaged)") }
    }
}

enum CacheFileBytes {
    /// Returns a file of the cache's format with a valid checksum.
    static func sealed(meta: [UInt8], body: [UInt8]) -> Data {
        var sum = ByteHash()
        meta.withUnsafeBytes { sum.update($0) }
        body.withUnsafeBytes { sum.update($0) }
        var data = Data("FerryHC".utf8) + [1]
        withUnsafeBytes(of: UInt32(meta.count).littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32(body.count).littleEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: sum.value.littleEndian) { data.append(contentsOf: $0) }
        return data + meta + body
    }
}

private func storedResponse(_ input: inout FuzzInput) -> StoredResponse {
    let time = Date(timeIntervalSince1970: Double(input.number(below: 1 << 24)) * 100)
    var fields: [ResponseHead.Field] = []
    for _ in 0..<input.number(below: 5) {
        fields.append(.init(name: input.field(), value: input.field(), isLatin1: input.bool()))
    }
    return StoredResponse(
        key: input.field(),
        head: ResponseHead(version: "HTTP/1.1", status: input.number(below: 1_000), fields: fields),
        isDecoded: input.bool(),
        requestTime: time,
        responseTime: time + Double(input.byte()),
        selectingNames: [input.field()],
        variant: input.field()
    )
}

/// Calls everything that a request would call with a record.
private func use(_ record: CacheFile.Record, _ body: Data) {
    if let variants = record.variants {
        _ = CacheKey.variant(variants.names, lines: ["Accept: a", "Cookie: b"])
    }
    guard let stored = record.stored else { return }
    let entry = CacheEntry(stored, body: .data(body))
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let freshness = entry.freshness(at: now)
    for policy in [URLRequest.CachePolicy.useProtocolCachePolicy, .returnCacheDataElseLoad] {
        _ = CacheUseRule.decide(policy: policy, request: CacheControl(), stored: entry.summary(at: now))
    }
    let fields = CacheValidation.withAge(stored.head.fields, freshness.age)
    expect(fields.count { $0.name.lowercased() == "age" } == 1, "not exactly one Age")
    _ = CacheValidation.conditions(entry.fields)
    _ = stored.cost
    _ = bounded { stored.head.joinedFields }
}

private let folder: CacheFolder = {
    let url = URL(fileURLWithPath: "/dev/shm/ferry-fuzz-\(getpid())", isDirectory: true)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: "/dev/shm/ferry-fuzz-\(getpid())") }
    return CacheFolder(url: url, capacity: 10_000_000)
}()

/// Writes the bytes where the cache looks for a response, and looks it up.
private func find(_ bytes: Data) {
    let key = "http://a.test:80/"
    let file = URL(fileURLWithPath: folder.path(CacheName(hashing: key)))
    try? FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    guard (try? bytes.write(to: file)) != nil else { return }
    defer { unlink(file.path) }
    guard let entry = folder.find(key, lines: ["Accept: a"]) else { return }
    expect(entry.stored.key == key, "the response of another key")
    if case .file(let body) = entry.body { expect(body.name.kind == .body, "a body outside the cache: \(body.name)") }
}

/// The rules of caching on arbitrary fields.
let cacheRules = FuzzTarget("cache-rules") { input in
    let status = 100 + input.number(below: 900)
    let isAuthorized = input.bool()
    let now = Date(timeIntervalSince1970: Double(input.number(below: 1 << 24)) * 200)
    let lines = input.amplifiedText(to: 500_000).split(separator: "\n", omittingEmptySubsequences: false)
    let all = lines.compactMap { line -> ResponseHead.Field? in
        let sides = line.split(separator: ":", maxSplits: 1)
        return sides.count == 2 ? .init(name: String(sides[0]), value: String(sides[1])) : nil
    }
    let (old, new) = (Array(all[..<(all.count / 2)]), Array(all[(all.count / 2)...]))
    let fields = bounded { CacheFields(old) }
    let answer = bounded { CacheFields(new) }
    checkControl(fields.control)
    let freshness = CacheFreshness(
        status: status,
        fields: fields,
        requestTime: now,
        responseTime: now + 1,
        now: now + 9
    )
    expect(freshness.lifetime >= 0 && freshness.age >= 8 && freshness.age.isFinite, "\(freshness)")
    var request = CacheStorageRule.Request()
    request.control = answer.control
    request.isAuthorized = isAuthorized
    let mayStore = bounded { CacheStorageRule.mayStore(status: status, fields: fields, request: request) }
    if mayStore {
        expect(fields.vary != nil, "stored despite Vary: *")
        expect(!fields.control.isNoStore || fields.control.mustUnderstand, "stored despite no-store")
        expect(status != 206 && status != 304 && status >= 200, "stored with \(status)")
    }
    let names = bounded { CacheStorageRule.selectingNames(fields: fields, request: request) }
    expect(names == names.sorted() && Set(names).count == names.count, "unsorted names: \(names)")
    let stored = CacheUseRule.Stored(control: fields.control, freshness: freshness)
    let decision = CacheUseRule.decide(policy: .useProtocolCachePolicy, request: answer.control, stored: stored)
    if decision == .use, fields.control.mustRevalidate { expect(freshness.isFresh, "a stale response is used") }
    _ = CacheUseRule.mayUseOnError(request: answer.control, stored: stored)
    _ = bounded { CacheValidation.conditions(fields) }
    _ = bounded { CacheValidation.selects(fields, by: answer) }
    let merged = bounded { CacheValidation.merge(old, with: new) }
    expect(merged.count <= all.count, "more fields than there were")
    let kept = bounded { CacheStorageRule.storedFields(all) }
    expect(!kept.contains { $0.name.lowercased() == "connection" }, "Connection is stored")
}

private func checkControl(_ control: CacheControl) {
    let numbers = [control.maximumAge, control.minimumFreshness, control.staleWhileRevalidate, control.staleIfError]
    for case let seconds? in numbers { expect((0...2_147_483_648).contains(seconds), "\(seconds) seconds") }
}

/// Resume data.
let resumeData = FuzzTarget("resume-data") { input in
    let folder = URL(fileURLWithPath: "/tmp/ferry", isDirectory: true)
    let hasMagic = input.byte() < 0xF0
    let data = Data((hasMagic ? "ferry-resume-data\n" : "").utf8) + input.amplified(to: 200_000)
    let record: ResumeData
    do {
        record = try bounded { try ResumeData(data, folder: folder) }
    } catch {
        return
    }
    expect(record.offset > 0 && record.expectedTotal ?? .max >= record.offset, "the offset \(record.offset)")
    expect(DownloadFile.isName(record.fileName), "the name \(record.fileName)")
    expect(record.file.deletingLastPathComponent().standardizedFileURL.path == "/tmp/ferry", "\(record.file)")
    _ = record.request
    guard let again = record.encoded().flatMap({ try? ResumeData($0, folder: folder) }) else {
        fail("a record that cannot be decoded again")
    }
    expect(again == record, "a different record")
}
