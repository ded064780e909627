import Foundation
import Testing

@testable import FerryCommand

@Suite("Partial files")
struct PartFileTests {
    private let folder: TemporaryFolder
    private let record = PartRecord(url: "http://a", validator: "\"v1\"", length: 6)
    /// The record of a file that is too large to be kept in memory.
    private let large = PartRecord(url: "http://a", validator: "\"v1\"", length: 200_000)
    private let body = Data(repeating: 0x61, count: 200_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private var path: String { folder.path("file") }

    @Test(
        "After a full disk, the size is that of the file, which goes on from there",
        .enabled(if: SmallDisk.isPossible, "A small disk needs root and mount")
    )
    func fullDisk() throws {
        let disk = try SmallDisk()
        let part = try PartFile(disk.folder.path("x"))
        try part.begin(PartRecord(url: "http://a.test/", validator: "\"1\"", length: 500_000))
        try part.append(Data(count: 20_000))
        #expect(throws: CommandFailure.self) { try part.append(Data(count: 400_000)) }
        let size = disk.folder.data("x.part")?.count ?? 0
        #expect(size > 20_000 && part.size == Int64(size))
        #expect(part.abandon())
        #expect(try PartFile(disk.folder.path("x")).size == Int64(size))
    }

    @Test("A file gets its name once it is complete, and no other file remains")
    func publishes() throws {
        try folder.file("file", "old")
        let part = try PartFile(path)
        try part.begin(large)
        try part.append(body)
        #expect(folder.text("file") == "old")
        #expect(folder.names == ["file", "file.part", "file.part.ferry"])
        try part.publish()
        #expect(folder.data("file") == body)
        #expect(folder.names == ["file"])
    }

    @Test("A small file is in memory until it is complete, and has no record")
    func small() throws {
        try folder.file("file", "old")
        try #require(chmod(path, 0o640) == 0)
        let part = try PartFile(path)
        try part.begin(record)
        try part.append(Data("abc".utf8))
        try part.append(Data("def".utf8))
        #expect(folder.names == ["file", "file.part"] && folder.text("file.part") == "")
        try part.setModificationDate(Date(timeIntervalSince1970: 1_000_000))
        try part.publish()
        #expect(folder.text("file") == "abcdef")
        #expect(folder.names == ["file"])
        var info = stat()
        try #require(stat(path, &info) == 0)
        #expect(info.st_mode & 0o7777 == 0o640 && info.st_mtim.tv_sec == 1_000_000)
    }

    @Test("A file that turns out to be larger than the server has told is written with its record")
    func grows() throws {
        let part = try PartFile(path)
        try part.begin(record)
        try part.append(Data("abc".utf8))
        try part.append(body)
        #expect(folder.data("file.part") == Data("abc".utf8) + body)
        #expect(try PartRecord.read(path + ".part.ferry") == record)
        #expect(part.size == 200_003)
    }

    @Test("A large file without a record is not changed, whatever its permissions")
    func respectsMarked() throws {
        try body.write(to: folder.file("file.part"))
        try #require(chmod(path + ".part", 0o1644) == 0)
        #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
        #expect(folder.data("file.part") == body)
    }

    @Test("A small file that a kill has left between two steps is written again, also as a large one")
    func marked() throws {
        try folder.file("file.part", "abc")
        try #require(chmod(path + ".part", 0o1644) == 0)
        var part: PartFile? = try PartFile(path)
        #expect(part?.size == 0 && part?.continuation == nil)
        try part?.begin(large)
        try part?.append(Data("abcd".utf8))
        part = nil
        let next = try PartFile(path)
        #expect(next.size == 4 && next.continuation == large)
        // A file that could not be published loses its mark when it begins again.
        try next.begin(record)
        try next.append(Data("abcdef".utf8))
        try next.setModificationDate(.distantPast)
        try next.begin(large)
        try next.append(Data("abcde".utf8))
        #expect(next.abandon())
        #expect(try PartFile(path).size == 5)
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

    @Test("A file that was removed is not published, and the one that has its name by then stays")
    func replaced() throws {
        for mayReplace in [true, false] {
            let first = try PartFile(path, mayReplace: mayReplace)
            try first.begin(record)
            try first.append(Data("abcdef".utf8))
            unlink(first.partPath)
            let second = try PartFile(path)
            try second.begin(large)
            try second.append(Data("abc".utf8))
            let error = #expect(throws: CommandFailure.self) { try first.publish() }
            #expect(error?.message.contains("it was removed") == true)
            #expect(!first.abandon())
            #expect(folder.names == ["file.part", "file.part.ferry"] && folder.text("file.part") == "abc")
            unlink(second.partPath)
            #expect(!second.abandon())
        }
    }

    @Test("A file that may be incomplete does not get its name") func unwritten() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let folder = try TemporaryFolder()
                let part = try PartFile(folder.path("file"))
                try part.begin(PartRecord(url: "http://a", validator: "\"v\"", length: nil))
                try part.append(Data("abc".utf8))
                // No descriptor can be made, so no descriptor can be closed.
                let outcome = await Child.withoutDescriptors { Result { try part.publish() } }
                try Child.expect((try? outcome.get()) == nil, "it was published")
                try Child.expect(part.abandon() && folder.text("file.part") == "abc", "\(folder.names)")
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("A complete file that a kill has left with both names is not changed", arguments: [true, false])
    func linked(isLarge: Bool) throws {
        try folder.file("file", "whole")
        try #require(link(path, path + ".part") == 0)
        if isLarge { try large.write(to: path + ".part.ferry") } else { try #require(chmod(path, 0o1644) == 0) }
        let part = try PartFile(path)
        #expect(part.size == 0 && part.continuation == nil)
        try part.begin(large)
        try part.append(Data("new".utf8))
        #expect(folder.text("file") == "whole" && folder.text("file.part") == "new")
    }

    @Test("A small file that cannot be published is deleted, since it has no record to continue from")
    func cannotPublishSmall() throws {
        let part = try PartFile(path, mayReplace: false)
        try part.begin(record)
        try part.append(Data("abcdef".utf8))
        try folder.file("file", "mine")
        #expect(throws: CommandFailure.self) { try part.publish() }
        #expect(!part.abandon())
        #expect(folder.names == ["file"] && folder.text("file") == "mine")
    }

    @Test("The length that the server tells with the rest counts, if the record has none")
    func expects() throws {
        let part = try PartFile(path)
        try part.begin(PartRecord(url: "http://a", validator: "\"v1\"", length: nil))
        try part.append(Data("abc".utf8))
        part.expect(6)
        #expect(throws: CommandFailure.self) { try part.publish() }
        try part.append(Data("def".utf8))
        try part.publish()
        #expect(folder.text("file") == "abcdef")
    }

    @Test("A name that the server has chosen replaces no file, also none that is created meanwhile")
    func replacesNone() throws {
        let part = try PartFile(path, mayReplace: false)
        try part.begin(large)
        try part.append(body)
        try folder.file("file", "mine")
        let error = #expect(throws: CommandFailure.self) { try part.publish() }
        #expect(error?.message.contains("the server chose a name that already exists") == true)
        #expect(folder.text("file") == "mine")
        #expect(folder.names == ["file", "file.part", "file.part.ferry"])
        let again = #expect(throws: CommandFailure.self) { _ = try PartFile(path, mayReplace: false) }
        #expect(again == error)
        unlink(path)
        try part.publish()
        #expect(folder.data("file") == body)
        #expect(folder.names == ["file"])
    }

    @Test("A partial file is found again, and continued at its end")
    func continues() throws {
        let record = PartRecord(url: "http://a", validator: "\"v1\"", length: nil)
        var part: PartFile? = try PartFile(path)
        try part?.begin(record)
        try part?.append(Data("abc".utf8))
        part = nil
        let next = try PartFile(path)
        #expect(next.continuation == record)
        #expect(next.size == 3)
        try next.append(Data("def".utf8))
        try next.publish()
        #expect(folder.text("file") == "abcdef")
    }

    @Test("A partial file that cannot be continued is deleted")
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

    @Test("A partial file that the command did not create is not changed")
    func respectsOthers() throws {
        try folder.file("file.part", "theirs")
        #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
        #expect(folder.text("file.part") == "theirs")
    }

    @Test("An unreadable record counts as missing")
    func brokenRecord() throws {
        try folder.file("file.part", "mine")
        try folder.file("file.part.ferry", "{")
        #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
        try folder.file("file.part", "")
        #expect(try PartFile(path).continuation == nil)
    }

    @Test(
        "A record is refused for each invalid field",
        arguments: [
            (#"{"url":"file:///etc/passwd"}"#, "its url"), (#"{"url":""}"#, "its url"),
            (#"{"url":"http://a","validator":"\"a\r\nb\""}"#, "its validator"),
            (#"{"url":"http://a","validator":"Sun,\r\nX:1 06 Nov 1994 08:49:37 GMT"}"#, "its validator"),
            (#"{"url":"http://a","length":-1}"#, "its length"), (#"{"url":"http://a","length":1e99}"#, "damaged"),
            (#"{"url":["http://a"]}"#, "damaged"), ("", "damaged"),
        ]
    )
    func hostileRecord(_ text: String, _ words: String) throws {
        try folder.file("record", text)
        let error = #expect(throws: CommandFailure.self) { try PartRecord.read(folder.path("record")) }
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        #expect(try PartRecord.read(folder.path("none")) == nil)
    }

    @Test("A pipe in place of the partial file or its record is an error", arguments: [".part", ".part.ferry"])
    func refusesPipes(_ suffix: String) throws {
        try folder.file("file.part", "mine")
        unlink(path + suffix)
        #expect(mkfifo(path + suffix, 0o600) == 0)
        let error = #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
        #expect(error?.message.contains("file\(suffix): ") == true)
    }

    @Test("A partial file that others can write is not continued in a folder in which they can create files")
    func refusesShared() throws {
        for folderMode: mode_t in [0o755, 0o1777, 0o770] {
            try folder.file("file.part", "abc")
            try record.write(to: path + ".part.ferry")
            try #require(chmod(folder.url.path, folderMode) == 0)
            for mode: mode_t in [0o664, 0o646, 0o644] {
                try #require(chmod(path + ".part", mode) == 0)
                if folderMode == 0o755 || mode == 0o644 {
                    #expect(try PartFile(path).continuation == record)
                } else {
                    let error = #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
                    #expect(error?.status == .file && error?.message.contains("Other users can write") == true)
                    #expect(folder.text("file.part") == "abc")
                }
            }
        }
    }

    @Test("Others cannot write a partial file, whatever the permissions of the complete file")
    func keepsPrivate() throws {
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
        }
        try folder.file("file", "old")
        try #require(chmod(path, 0o666) == 0)
        let part = try PartFile(path)
        try part.begin(PartRecord(url: "http://a", validator: nil, length: nil))
        #expect(try mode("file.part").map { $0 & 0o022 } == 0)
        try part.publish()
        #expect(try mode("file") == 0o666)
    }

    @Test("A link in place of the partial file is not followed")
    func refusesLinks() throws {
        try folder.file("victim", "victim")
        try FileManager.default.createSymbolicLink(atPath: path + ".part", withDestinationPath: folder.path("victim"))
        #expect(throws: CommandFailure.self) { _ = try PartFile(path) }
        #expect(folder.text("victim") == "victim")
    }

    @Test("Only its owner can read the record, since URLs may contain secrets")
    func isPrivate() throws {
        let part = try PartFile(path)
        try part.begin(large)
        let attributes = try FileManager.default.attributesOfItem(atPath: path + ".part.ferry")
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try PartRecord.read(path + ".part.ferry") == large)
    }
}
