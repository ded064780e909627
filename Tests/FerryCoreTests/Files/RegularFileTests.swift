import FerryCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct RegularFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
        return path(name)
    }

    private enum Use: CaseIterable {
        case read, readLink, write, writeLink, make, create
    }

    /// Returns why a file cannot be opened, or `nil` if it can.
    private func reason(_ use: Use, _ path: String) -> FileError.Reason? {
        do throws(FileError) {
            switch use {
            case .read: _ = try RegularFile(reading: path, links: .refuse)
            case .readLink: _ = try RegularFile(reading: path, links: .follow)
            case .write: _ = try RegularFile(writing: path, links: .refuse)
            case .writeLink: _ = try RegularFile(writing: path, links: .follow)
            case .make: _ = try RegularFile(writing: path, links: .refuse, creatingWith: 0o600)
            case .create: _ = try RegularFile(creating: path)
            }
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("A pipe, a socket, a device and a directory are refused immediately, for reading and for writing")
    func kinds() throws {
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        #expect(mknod(path("socket"), S_IFSOCK | 0o600, 0) == 0)
        for use in Use.allCases where use != .create {
            for path in [path("pipe"), path("socket"), "/dev/null", "/dev/zero"] {
                #expect(reason(use, path) == .notRegular, "\(use) \(path)")
            }
            #expect(reason(use, folder.url.path) == .system(EISDIR), "\(use)")
            #expect(use == .make || reason(use, path("none")) == .system(ENOENT), "\(use)")
        }
        #expect(reason(.create, path("pipe")) == .system(EEXIST))
    }

    @Test("A symbolic link is followed only if requested") func links() throws {
        let link = path("link")
        #expect(symlink(try write("text", to: "file"), link) == 0)
        for use in [Use.read, .write, .make] { #expect(reason(use, link) == .system(ELOOP), "\(use)") }
        #expect(reason(.create, link) == .system(EEXIST))
        #expect(reason(.writeLink, link) == nil)
        #expect(try RegularFile.contents(of: link, links: .follow, limit: 10) == Data("text".utf8))
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        #expect(symlink(path("pipe"), path("linked pipe")) == 0)
        #expect(reason(.readLink, path("linked pipe")) == .notRegular)
    }

    @Test("Bytes written at an offset are read back, and a file that is too large is not read") func bytes() throws {
        let file = try RegularFile(creating: path("file"))
        try file.write(Data("hello".utf8))
        try file.write(Data(", world".utf8), at: 5)
        #expect(try file.size() == 12)
        #expect(try file.mapped(count: 12) == Data("hello, world".utf8))
        #expect(throws: FileError.self) { try file.mapped(count: 13) }
        try file.truncate(to: 5)
        #expect(try file.read(upToCount: 3) == Data("hel".utf8))
        #expect(try RegularFile.contents(of: path("file"), links: .refuse, limit: 5) == Data("hello".utf8))
        let error = #expect(throws: FileError.self) {
            try RegularFile.contents(of: path("file"), links: .refuse, limit: 4)
        }
        #expect(error?.reason == .tooLarge(limit: 4))
        #expect(throws: FileError.self) { try file.write(Data("x".utf8), at: .max) }
        try file.close()
        try file.close()
        #expect(throws: FileError.self) { try file.size() }
    }

    @Test("A file of several pieces is read completely") func large() throws {
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let file = try RegularFile(creating: path("file"))
        try file.write(data)
        #expect(try file.read(upToCount: .max) == data)
        #expect(try RegularFile.contents(of: path("file"), links: .refuse, limit: .max) == data)
    }

    @Test("Closing a file ends its lock, although a process that is being started still has the descriptor")
    func lockOfCopy() throws {
        let path = path("locked")
        let first = try RegularFile(updating: path)
        #expect(first.tryLock())
        let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
        let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? path
        let number = try #require(
            numbers.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == target
            }
        )
        let copy = dup(number)
        defer { close(copy) }
        try first.close()
        #expect(try RegularFile(updating: path).tryLock())
    }

    @Test("A lock has one owner at a time, and is released by closing") func lock() throws {
        let first = try RegularFile(writing: try write("", to: "file"), links: .refuse)
        let second = try RegularFile(writing: path("file"), links: .refuse)
        #expect(first.tryLock() && !second.tryLock())
        try first.close()
        #expect(second.tryLock())
    }

    @Test("An error states the operation, the file and the reason") func errors() throws {
        let error = #expect(throws: FileError.self) { _ = try RegularFile(reading: path("none"), links: .refuse) }
        #expect(error?.description == "open \(path("none")): No such file or directory")
        #expect((error?.posixError as? POSIXError)?.code == .ENOENT)
    }
}
