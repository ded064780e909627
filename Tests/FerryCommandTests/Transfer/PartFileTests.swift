import Foundation
import Testing

@testable import FerryCommand

@Suite("Partial files")
struct PartFileTests {
    private let folder = TemporaryFolder()
    private let record = PartRecord(url: "http://a", validator: "\"v1\"", length: 6)

    private var path: String { folder.path("file") }

    @Test("A file takes its name when it is whole, and leaves nothing beside it")
    func publishes() throws {
        try folder.write("old", to: "file")
        let part = try PartFile(path)
        try part.begin(record)
        try part.append(Data("abcdef".utf8))
        #expect(folder.text("file") == "old")
        #expect(folder.names == ["file", "file.part", "file.part.ferry"])
        try part.publish()
        #expect(folder.text("file") == "abcdef")
        #expect(folder.names == ["file"])
    }

    @Test("A file that is too short is not published")
    func refusesShort() throws {
        let part = try PartFile(path)
        try part.begin(record)
        try part.append(Data("abc".utf8))
        #expect(throws: CommandFailure.self) { try part.publish() }
        #expect(part.abandon())
        #expect(folder.names == ["file.part", "file.part.ferry"])
    }

    @Test("What was left is found again, and goes on behind its end")
    func continues() throws {
        var part: PartFile? = try PartFile(path)
        try part?.begin(record)
        try part?.append(Data("abc".utf8))
        part = nil
        let next = try PartFile(path)
        #expect(next.continuation == record)
        #expect(next.size == 3)
        try next.seekToEnd()
        try next.append(Data("def".utf8))
        try next.publish()
        #expect(folder.text("file") == "abcdef")
    }

    @Test("What cannot be continued is deleted")
    func abandons() throws {
        let part = try PartFile(path)
        try part.begin(PartRecord(url: "http://a", validator: nil, length: nil))
        try part.append(Data("abc".utf8))
        #expect(!part.abandon())
        #expect(folder.names.isEmpty)
    }

    @Test("Another transfer of the same file is refused while the first one runs")
    func locks() throws {
        let part = try PartFile(path)
        #expect(throws: CommandFailure(.file, "\(path).part: another transfer is writing it")) {
            _ = try PartFile(path)
        }
        #expect(!part.abandon())
        _ = try PartFile(path)
    }

    @Test("A partial file of somebody else is not touched")
    func respectsOthers() throws {
        try folder.write("theirs", to: "file.part")
        #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
        #expect(folder.text("file.part") == "theirs")
    }

    @Test("A record that cannot be read counts as none")
    func brokenRecord() throws {
        try folder.write("mine", to: "file.part")
        try folder.write("{", to: "file.part.ferry")
        #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
        try folder.write("", to: "file.part")
        #expect(try PartFile(path).continuation == nil)
    }

    @Test("A link in the place of the partial file is not followed")
    func refusesLinks() throws {
        try folder.write("victim", to: "victim")
        try FileManager.default.createSymbolicLink(atPath: path + ".part", withDestinationPath: folder.path("victim"))
        #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
        #expect(folder.text("victim") == "victim")
    }

    @Test("The record is for its owner alone, since URLs may hold secrets")
    func isPrivate() throws {
        let part = try PartFile(path)
        try part.begin(record)
        let attributes = try FileManager.default.attributesOfItem(atPath: path + ".part.ferry")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(PartRecord(contentsOf: path + ".part.ferry") == record)
    }
}
