import FerryCore
import TestSupport
import Testing

@Suite("A journal", .timeLimit(.minutes(5))) struct JournalTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("journal") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func append(_ texts: String..., to journal: Journal, synchronized: Bool = false) throws {
        try journal.update(synchronized: synchronized) { _ in .append(texts.map { Data($0.utf8) }) }
    }

    private func changes(of journal: Journal) throws -> (texts: [String], isFromStart: Bool, damaged: Int) {
        var result: Journal.Changes?
        try journal.update(synchronized: false) {
            result = $0
            return .none
        }
        let changes = try #require(result)
        return (changes.records.map { String(decoding: $0, as: UTF8.self) }, changes.isFromStart, changes.damaged)
    }

    @Test("Each object sees what the others append, once and in order")
    func sharing() throws {
        let (one, two) = (Journal(path: path), Journal(path: path))
        try append("a", "b", to: one)
        var seen = try changes(of: two)
        #expect(seen.texts == ["a", "b"] && seen.isFromStart && seen.damaged == 0)
        try append("c", to: two, synchronized: true)
        #expect(one.hasChanged && !two.hasChanged)
        seen = try changes(of: one)
        #expect(seen.texts == ["c"] && !seen.isFromStart)
        #expect(!one.hasChanged)
        #expect(try changes(of: one).texts.isEmpty)
    }

    @Test("A replaced journal is read from its start by the others, and keeps nothing else")
    func replacement() throws {
        let (one, two) = (Journal(path: path), Journal(path: path))
        try append("a", "b", "c", to: one)
        _ = try changes(of: two)
        try one.update(synchronized: true) { _ in .replace([Data("b".utf8)]) }
        try append("d", to: one)
        #expect(two.hasChanged)
        let seen = try changes(of: two)
        #expect(seen.texts == ["b", "d"] && seen.isFromStart)
        try append("e", to: two)
        #expect(try changes(of: one).texts == ["e"])
        #expect(folder.names == ["journal"])
    }

    @Test("Whatever end is cut off, all complete records remain, and new ones follow them")
    func torn() throws {
        try append("first", "second", to: Journal(path: path))
        let whole = try Data(contentsOf: folder.file("journal"))
        let firstLine = try #require(whole.firstIndex(of: UInt8(ascii: "\n"))) + 1
        for length in 0...whole.count {
            try whole.prefix(length).write(to: folder.file("journal"))
            let journal = Journal(path: path)
            let seen = try changes(of: journal)
            let complete = length == whole.count ? 2 : length >= firstLine ? 1 : 0
            #expect(seen.texts == Array(["first", "second"].prefix(complete)), "\(length)")
            let isTorn = ![0, firstLine, whole.count].contains(length)
            #expect(seen.damaged == (isTorn ? 1 : 0))
            try append("third", to: journal)
            #expect(try changes(of: Journal(path: path)).texts.last == "third")
            #expect(try changes(of: Journal(path: path)).damaged == 0)
        }
    }

    @Test("A changed bit loses at most the records of its lines")
    func damage() throws {
        let texts = (0..<5).map { "record \($0)" }
        try Journal(path: path).update(synchronized: false) { _ in .append(texts.map { Data($0.utf8) }) }
        let whole = try Data(contentsOf: folder.file("journal"))
        for index in whole.indices {
            for bit in 0..<8 {
                var changed = whole
                changed[index] ^= 1 << bit
                try changed.write(to: folder.file("journal"))
                let seen = try changes(of: Journal(path: path))
                #expect(seen.texts.allSatisfy(texts.contains) && seen.texts.count >= 3, "\(index), \(bit)")
                #expect(seen.damaged > 0)
            }
        }
    }

    @Test("An update whose block throws writes nothing and unlocks the file")
    func failure() throws {
        let journal = Journal(path: path)
        #expect(throws: CancellationError.self) {
            try journal.update(synchronized: false) { _ in throw CancellationError() }
        }
        try append("a", to: Journal(path: path))
        #expect(try changes(of: journal).texts == ["a"])
    }

    @Test("A change that would make the file too large is refused, and nothing of it is written")
    func tooLarge() throws {
        let journal = Journal(path: path, maximumBytes: 100)
        try append("1234567890", "1234567890", "1234567890", to: journal)
        let whole = folder.data("journal")
        #expect(whole.map { Int64($0.count) } == 3 * Journal.size(of: Data(count: 10)))
        for edit in [Journal.Edit.append([Data()]), .replace([Data(count: 83)])] {
            let error = #expect(throws: FileError.self) { try journal.update(synchronized: false) { _ in edit } }
            #expect(error?.reason == .tooLarge(limit: 100))
            #expect(folder.data("journal") == whole)
            #expect(folder.names == ["journal"])
        }
        try journal.update(synchronized: false) { _ in .replace([Data(repeating: 97, count: 82)]) }
        #expect(folder.data("journal")?.count == 100)
        #expect(try changes(of: Journal(path: path, maximumBytes: 100)).texts == [String(repeating: "a", count: 82)])
        #expect(throws: FileError.self) { try changes(of: Journal(path: path, maximumBytes: 99)) }
    }

    @Test("What an update could not read is read as from the start by the next one")
    func unread() throws {
        try append("1234567890", to: Journal(path: path))
        let journal = Journal(path: path, maximumBytes: 50)
        truncate(path, 51)
        #expect(throws: FileError.self) { try changes(of: journal) }
        truncate(path, 28)
        let seen = try changes(of: journal)
        #expect(seen.texts == ["1234567890"] && seen.isFromStart && seen.damaged == 0)
    }

    @Test("A file of another kind, or that others can write, is refused")
    func refusals() throws {
        func refused(_ path: String) {
            #expect(throws: FileError.self) { try append("a", to: Journal(path: path)) }
        }
        refused(folder.url.path)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("x"))
        refused(folder.path("link"))
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        refused(folder.path("pipe"))
        chmod(folder.url.path, 0o777)
        try Data().write(to: folder.file("shared"))
        chmod(folder.path("shared"), 0o666)
        refused(folder.path("shared"))
        refused(folder.path("missing/journal"))
    }

    @Test("Processes that append at the same time lose no record")
    func concurrency() async throws {
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let journal = Journal(path: path)
                    for index in 0..<100 {
                        try journal.update(synchronized: false) { changes in
                            let record = Data("\(writer) \(index)".utf8)
                            return index == 50 ? .replace(try Self.all(path) + [record]) : .append([record])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let seen = try changes(of: Journal(path: path)).texts
        #expect(Set(seen).count == 400 && seen.count == 400)
        for writer in 0..<4 {
            #expect(seen.filter { $0.hasPrefix("\(writer) ") } == (0..<100).map { "\(writer) \($0)" })
        }
    }

    /// Returns the records in a file that this thread has locked.
    private static func all(_ path: String) throws -> [Data] {
        try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n")).map { $0.dropFirst(17) }
    }
}
