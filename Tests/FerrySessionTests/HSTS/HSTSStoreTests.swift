import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

struct HSTSStoreTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func store(_ values: [String: String]) -> HSTSStore {
        let store = HSTSStore()
        for (host, value) in values {
            store.note([.init(name: "strict-transport-security", value: value)], from: host, now: Self.now)
        }
        return store
    }

    @Test(
        "A host counts itself, and the names below it if it says so (RFC 6797, section 8.2)",
        arguments: [
            ("one.example", true), ("ONE.example.", true), ("a.one.example", false), ("two.example", true),
            ("a.two.example", true), ("b.a.two.example", true), ("atwo.example", false), ("example", false),
            ("", false), ("127.0.0.1", false), ("[::1]", false),
        ]
    )
    func matches(_ host: String, _ isExpected: Bool) {
        let store = store([
            "one.example": "max-age=10", "two.example": "max-age=10; includeSubDomains",
            "127.0.0.1": "max-age=10", "[::1]": "max-age=10",
        ])
        #expect(store.requiresHTTPS(host, now: Self.now) == isExpected)
        #expect(store.hosts.map(\.name) == ["one.example", "two.example"])
    }

    @Test("An entry ends after its time, and at once with a time of zero")
    func ends() {
        let store = store(["one.example": "max-age=10"])
        #expect(store.requiresHTTPS("one.example", now: Self.now.addingTimeInterval(9)))
        #expect(!store.requiresHTTPS("one.example", now: Self.now.addingTimeInterval(10)))
        store.note([.init(name: "Strict-Transport-Security", value: "max-age=0")], from: "one.example", now: Self.now)
        #expect(store.hosts.isEmpty)
    }

    @Test("A field that says nearly the same as before changes nothing, so that no file is written")
    func repeated() {
        let store = store(["one.example": "max-age=1000"])
        let first = store.hosts
        func note(_ value: String, after seconds: TimeInterval) {
            let field = ResponseHead.Field(name: "Strict-Transport-Security", value: value)
            store.note([field], from: "one.example", now: Self.now.addingTimeInterval(seconds))
        }
        note("max-age=1000", after: 10)
        #expect(store.hosts == first)
        note("max-age=1000", after: 11)
        #expect(store.hosts.first?.expirationDate == Self.now.addingTimeInterval(1_011))
        note("max-age=1000; includeSubDomains", after: 11)
        #expect(store.hosts.first?.includesSubdomains == true)
        note("max-age=9223372036854775807", after: 11)
        #expect(store.hosts.first?.expirationDate == Self.now.addingTimeInterval(2_147_483_659))
    }

    @Test("Only the first of several fields counts, and an invalid one changes nothing")
    func fields() {
        let store = HSTSStore()
        let name = "Strict-Transport-Security"
        store.note([.init(name: name, value: "x"), .init(name: name, value: "max-age=1")], from: "a.example")
        #expect(store.hosts.isEmpty)
        store.note([.init(name: name, value: "max-age=99"), .init(name: name, value: "max-age=0")], from: "a.example")
        #expect(store.hosts.count == 1)
    }

    @Test(
        "A URL keeps its port, except that 80 becomes the default (RFC 6797, section 8.3)",
        arguments: [
            ("http://one.example/a?b#c", "https://one.example/a?b#c"),
            ("http://one.example:80/", "https://one.example/"),
            ("http://one.example:8080/", "https://one.example:8080/"),
            ("http://user:pw@one.example/%2F", "https://user:pw@one.example/%2F"),
            ("https://one.example/", nil), ("http://other.example/", nil), ("ftp://one.example/", nil),
        ]
    )
    func upgrades(_ url: String, _ expected: String?) throws {
        let store = HSTSStore()
        store.add("one.example")
        #expect(try store.upgraded(#require(URL(string: url)))?.absoluteString == expected)
    }

    @Test("No more hosts are kept than the limit; those that end first go first")
    func limit() throws {
        let store = HSTSStore()
        for index in 0...HSTSStore.maximumCount {
            store.add("h\(index).example", until: Self.now.addingTimeInterval(TimeInterval(index)))
        }
        // The store's queue removes the other hosts.
        try store.synchronize()
        #expect((HSTSStore.maximumCount * 9 / 10...HSTSStore.maximumCount).contains(store.hosts.count))
        #expect(!store.requiresHTTPS("h0.example", now: .distantPast))
        #expect(store.requiresHTTPS("h\(HSTSStore.maximumCount).example", now: .distantPast))
    }

    @Test(
        "A server with many names replaces its own hosts, and not those of others",
        .enabled(if: (try? CurlRuntime.current().supportsPublicSuffixes) == true, "libcurl has no list of suffixes")
    )
    func flood() throws {
        let store = HSTSStore()
        store.add("bank.example", until: Self.now.addingTimeInterval(1_000))
        for index in 0..<HSTSStore.maximumCount * 5 / 4 {
            store.add("h\(index).hostile.example", until: Self.now.addingTimeInterval(2_000))
        }
        try store.synchronize()
        #expect(store.hosts.count <= HSTSStore.maximumCount)
        #expect(store.requiresHTTPS("bank.example", now: Self.now))
    }

    @Test("Hosts that the program has added without an end are not counted, and a server can add none")
    func endless() throws {
        let store = HSTSStore()
        let count = HSTSStore.maximumCount * 3 / 2
        for index in 0..<count { store.add("own\(index).example") }
        let field = ResponseHead.Field(name: "Strict-Transport-Security", value: "max-age=99999999999999")
        for index in 0...HSTSStore.maximumCount { store.note([field], from: "h\(index).example", now: Self.now) }
        try store.synchronize()
        let hosts = store.hosts
        #expect(hosts.filter { $0.name.hasPrefix("own") }.count == count)
        #expect(hosts.count < count + HSTSStore.maximumCount)
    }

    @Test("A file keeps the hosts, and only its owner can read it")
    func file() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("hsts.txt")
        let store = try HSTSStore(file: file)
        store.add("one.example", until: Date(timeIntervalSince1970: 4_000_000_000))
        store.add("two.example", includesSubdomains: true)
        try store.synchronize()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("one.example \"20961002 07:06:40\"\n.two.example \"unlimited\"\n"))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try HSTSStore(file: file).hosts == store.hosts)
        store.removeAll()
        try store.synchronize()
        #expect(try HSTSStore(file: file).hosts.isEmpty)
    }

    @Test(
        "A file in another format is an error that names the line",
        arguments: [
            "one.example", "one.example \"yesterday\"", "127.0.0.1 \"20961002 07:06:40\"", "a \"20961302 07:06:40\"",
            "a \"20961002 24:06:40\"", "a \"20961002 07:60:40\"", "a \"20961002 07:06:61\"",
            "a \"2096-10-02 07:06:40\"",
        ]
    )
    func damagedFile(_ line: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("hsts.txt")
        try Data("# comment\n\n\(line)\n".utf8).write(to: file)
        let error = #expect(throws: CurlSessionError.self) { try HSTSStore(file: file) }
        #expect(error?.code == .invalidHSTSFile)
        #expect(error?.message.contains("Line 3") == true)
    }

    @Test("The default is the shared store beside the shared cookies, a store of its own, or none")
    func defaults() {
        let automatic = CurlSession.Options.HSTS.automatic
        #expect(automatic.store(for: .shared) === HSTSStore.shared)
        #expect(automatic.store(for: nil) == nil)
        let own = URLSessionConfiguration.ephemeral.httpCookieStorage
        #expect(automatic.store(for: own) !== HSTSStore.shared)
    }

    @Test("A response without TLS adds no host")
    func plain() async throws {
        let server = try LoopbackServer { _ in
            .status(204, headers: ["Strict-Transport-Security": "max-age=100"])
        }
        let store = HSTSStore()
        var options = CurlSession.Options()
        options.hsts = .store(store)
        let session = CurlSession(configuration: .ephemeral, options: options)
        var url = URLComponents(url: server.url, resolvingAgainstBaseURL: false)
        url?.host = "localhost"
        _ = try await session.data(from: try #require(url?.url))
        #expect(store.hosts.isEmpty)
        session.invalidateAndCancel()
    }

    @Test("A file whose lines end with CR and LF is read") func carriageReturns() throws {
        let text = "# hosts\r\n.example.com \"20371231 23:59:59\"\r\nexample.org \"20371231 23:59:59\"\r\n"
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: folder.file("hsts.txt"))
        let hosts = try HSTSFile.hosts(in: folder.file("hsts.txt"), now: Date(timeIntervalSince1970: 0))
        #expect(hosts.keys.sorted() == ["example.com", "example.org"])
    }

    @Test("Of a file, the entries that have not ended are read") func ended() throws {
        let text = """
            past.example "20961002 07:06:39"
            now.example "20961002 07:06:40"
            next.example "20961002 07:06:41"
            leap.example "20961231 23:59:60"
            """
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: folder.file("hsts.txt"))
        let now = Date(timeIntervalSince1970: 4_000_000_000)
        #expect(
            try HSTSFile.hosts(in: folder.file("hsts.txt"), now: now).keys.sorted()
                == ["leap.example", "next.example"]
        )
    }

    @Test("Two stores with one file keep the hosts of both, and a removed host stays removed")
    func sharedFile() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("hsts.txt")
        let (first, second) = (try HSTSStore(file: file), try HSTSStore(file: file))
        first.add("one.example")
        first.add("removed.example")
        try first.synchronize()
        second.add("two.example")
        try second.synchronize()
        #expect(second.hosts.map(\.name) == ["one.example", "removed.example", "two.example"])
        first.remove("removed.example")
        try first.synchronize()
        #expect(first.hosts.map(\.name) == ["one.example", "two.example"])
        #expect(try HSTSStore(file: file).hosts == first.hosts)
        second.removeAll()
        second.add("three.example")
        try second.synchronize()
        #expect(try HSTSStore(file: file).hosts.map(\.name) == ["three.example"])
    }

    @Test("Changes are written without a call to synchronize()")
    func written() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("hsts.txt")
        let store = try HSTSStore(file: file)
        store.add("one.example")
        try await eventually("the host in the file") { try HSTSStore(file: file).hosts.map(\.name) == ["one.example"] }
        store.removeAll()
        try await eventually("the empty file") { try HSTSStore(file: file).hosts.isEmpty }
    }

    @Test("After a change that could not be written, hosts of others are kept, unless all were removed")
    func unwritableBesideOthers() throws {
        let folder = try TemporaryFolder()
        let (place, other) = (folder.url.appendingPathComponent("a"), folder.url.appendingPathComponent("b"))
        let file = place.appendingPathComponent("hsts.txt")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        let store = try HSTSStore(file: file)
        let beside = try HSTSStore(file: file)
        beside.add("one.example")
        try beside.synchronize()
        func failToWrite(_ change: () -> Void) throws {
            try FileManager.default.moveItem(at: place, to: other)
            change()
            #expect(throws: (any Error).self) { try store.synchronize() }
            try FileManager.default.moveItem(at: other, to: place)
        }
        try failToWrite { store.add("two.example") }
        store.add("three.example")
        try store.synchronize()
        #expect(try HSTSStore(file: file).hosts.map(\.name) == ["one.example", "three.example", "two.example"])
        try failToWrite { store.removeAll() }
        store.add("four.example")
        try store.synchronize()
        #expect(try HSTSStore(file: file).hosts.map(\.name) == ["four.example"])
    }

    @Test("Changes that could not be written are written with the next ones, and a missing file again")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        let below = folder.url.appendingPathComponent("below")
        let file = below.appendingPathComponent("hsts.txt")
        let store = try HSTSStore(file: file)
        store.add("one.example")
        #expect(throws: (any Error).self) { try store.synchronize() }
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: false)
        store.add("two.example")
        try store.synchronize()
        #expect(try HSTSStore(file: file).hosts.map(\.name) == ["one.example", "two.example"])
        try FileManager.default.removeItem(at: file)
        store.remove("one.example")
        try store.synchronize()
        #expect(try HSTSStore(file: file).hosts.map(\.name) == ["two.example"])
    }

    @Test("A file that cannot be read is an error, and is not replaced by the known hosts")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("hsts.txt")
        let store = try HSTSStore(file: file)
        try Data("other.example \"20961002 07:06:40\"\n".utf8).write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        // Reading fails, since the file is too large.
        try handle.truncate(atOffset: 20_000_000)
        store.add("one.example")
        #expect(throws: FileError.self) { try store.synchronize() }
        #expect(throws: FileError.self) { try HSTSStore(file: file) }
        try handle.truncate(atOffset: 34)
        try store.synchronize()
        #expect(try HSTSStore(file: file).hosts.map(\.name) == ["one.example", "other.example"])
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
        #expect(throws: FileError.self) { try HSTSStore(file: file) }
    }
}
