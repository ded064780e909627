import Testing

@testable import FerryCache

/// Files of the cache are either valid or refused; nothing ends the process, which is a child process here.
@Suite(.timeLimit(.minutes(10)), .ownThreads)
struct CacheFileFuzzTests {
    @Test("Damaged files of the cache are misses, or are valid") func cacheFiles() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                var body = CacheFile.Record(stored: CacheSamples.stored("/a", etag: "\"1\""))
                body.bodyName = CacheName(randomFor: .body).fileName
                body.bodyLength = 70_000
                let variants = CacheFile.Variants(names: ["accept"], generation: "0123456789abcdef")
                let records = [
                    CacheFile.Record(stored: CacheSamples.stored("/a", vary: ["foo"], lines: ["Foo: 1"])), body,
                    CacheFile.Record(variants: variants),
                ]
                let metas = try records.map { [UInt8](try JSONEncoder().encode($0)) }
                let whole = [UInt8](try #require(CacheFile.encode(records[0], body: Data("small".utf8))))
                var random = SeededGenerator(0xCAC4E)
                var (read, refused) = (0, 0)
                for round in 0..<Mutations.count {
                    let meta = metas[round % metas.count]
                    let data: Data?
                    switch round % 4 {
                    case 0: data = Data(random.damage(whole))
                    case 1: data = CacheFile.seal(Data(random.damage(meta)), Data("small".utf8))
                    default: data = CacheFile.seal(Data(Mutations.replaceValue(meta, &random)), Data("small".utf8))
                    }
                    guard let found = data.flatMap(CacheFile.decode) else {
                        refused += 1
                        continue
                    }
                    read += 1
                    guard let stored = found.record.stored else { continue }
                    // As a transfer uses the file.
                    let entry = CacheEntry(stored, body: .data(found.body))
                    let age = entry.freshness(at: Date()).age
                    _ = CacheValidation.withAge(stored.head.fields, age)
                    _ = CacheValidation.conditions(entry.fields)
                    _ = entry.summary(at: Date())
                    let url = try #require(URL(string: "http://example.com/a"))
                    _ = ReceivedResponse(stored.head, url: url, isDecoded: stored.isDecoded).value
                }
                try Child.expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
            }
        }
        Child.check(result?.standardOutputContent)
    }
}
