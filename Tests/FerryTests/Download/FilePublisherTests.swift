import Foundation
import Testing

@testable import Ferry

@Suite("Publishing files")
struct FilePublisherTests {
    @Test("A published file exists only under its new name")
    func moves() throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("new", "new")
        try FilePublisher(options: []).publish(file, at: scratch.file("place"))
        #expect(scratch.names == ["place"])
        #expect(text(scratch.file("place")) == "new")
    }

    @Test("An existing file is an error, or is replaced if asked for")
    func overwrites() throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("new", "new")
        let place = try scratch.file("place", "old")
        #expect(throws: FileError.self) { try FilePublisher(options: []).publish(file, at: place) }
        #expect(text(place) == "old")
        #expect(scratch.names == ["new", "place"])
        try FilePublisher(options: .overwrite).publish(file, at: place)
        #expect(text(place) == "new")
        #expect(scratch.names == ["place"])
    }

    @Test("A directory is never replaced by a file")
    func directory() throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("new", "new")
        let place = try TemporaryFolder(in: scratch.url)
        #expect(throws: FileError.self) { try FilePublisher(options: .overwrite).publish(file, at: place.url) }
        #expect(text(file) == "new")
    }

    @Test("A pipe is never replaced by a file, but a symbolic link to one is", arguments: [false, true])
    func pipe(isLinked: Bool) throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("new", "new")
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        if isLinked {
            #expect(symlink(scratch.path("pipe"), scratch.path("link")) == 0)
            try FilePublisher(options: .overwrite).publish(file, at: scratch.file("link"))
            #expect(text(scratch.file("link")) == "new")
        } else {
            let error = #expect(throws: FileError.self) {
                try FilePublisher(options: .overwrite).publish(file, at: scratch.file("pipe"))
            }
            #expect(error?.path == scratch.path("pipe") && error?.reasonText == "Not a regular file")
            #expect(text(file) == "new")
        }
        var info = stat()
        #expect(lstat(scratch.path("pipe"), &info) == 0 && info.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("Missing directories are an error, or are created if asked for")
    func createsDirectories() throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("new", "new")
        let place = scratch.url.appendingPathComponent("a/b/place")
        #expect(throws: (any Error).self) { try FilePublisher(options: []).publish(file, at: place) }
        #expect(text(file) == "new")
        try FilePublisher(options: .createIntermediateDirectories).publish(file, at: place)
        #expect(text(place) == "new")
    }

    @Test("A directory that cannot be created is an error with the reason")
    func directoryBelowFile() throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("new", "new")
        let place = try scratch.file("place", "old").appendingPathComponent("below/new")
        let error = #expect(throws: FileError.self) {
            try FilePublisher(options: .createIntermediateDirectories).publish(file, at: place)
        }
        #expect(error?.code == ENOTDIR)
        #expect(error?.localizedDescription.contains(place.deletingLastPathComponent().path) == true)
        #expect(text(file) == "new")
    }

    @Test("A file moves to another file system as a whole, and no partial file remains")
    func otherFileSystem() throws {
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let here = try TemporaryFolder()
        guard let there = try? TemporaryFolder(in: memory), device(here.url) != device(there.url) else { return }
        let file = try here.file("new", "new")
        let place = try there.file("place", "old")
        #expect(throws: FileError.self) { try FilePublisher(options: []).publish(file, at: place) }
        #expect(there.names == ["place"])
        #expect(here.names == ["new"])
        try FilePublisher(options: .overwrite).publish(file, at: place)
        #expect(text(place) == "new")
        #expect(there.names == ["place"])
        #expect(here.names.isEmpty)
    }

    @Test("Of many files published under one name at the same time, exactly one succeeds")
    func race() throws {
        let scratch = try TemporaryFolder()
        let files = try (0..<20).map { try scratch.file("\($0)", "\($0)") }
        let place = scratch.file("place")
        let published = Watched(0)
        DispatchQueue.concurrentPerform(iterations: 20) { index in
            if (try? FilePublisher(options: []).publish(files[index], at: place)) != nil {
                published.change { $0 += 1 }
            }
        }
        #expect(published.current == 1)
        #expect(scratch.names.count == 20)
    }

    private func device(_ url: URL) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.systemNumber] as? Int
    }
}
