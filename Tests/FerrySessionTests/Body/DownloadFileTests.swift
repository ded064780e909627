import Testing

@testable import FerrySession

@Suite struct DownloadFileTests {
    private func write(_ string: String, to file: DownloadFile) throws {
        let result = Data(string.utf8).withUnsafeBytes { bytes in
            Result { () throws(URLError) in try file.write(bytes) }
        }
        try result.get()
    }

    @Test("The file is created with the first byte, or at an empty end, and only its owner has access")
    func life() throws {
        let folder = try TemporaryFolder()
        let file = DownloadFile(in: folder.url, for: nil)
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
        try write("hello", to: file)
        try write(", world", to: file)
        try file.finish()
        #expect(try Data(contentsOf: file.url) == Data("hello, world".utf8))
        #expect(file.size == 12)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        file.remove()
        file.remove()
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
        let empty = DownloadFile(in: folder.url, for: nil)
        try empty.finish()
        #expect(try Data(contentsOf: empty.url).isEmpty)
    }

    @Test("A truncated file starts over") func truncation() throws {
        let folder = try TemporaryFolder()
        let file = DownloadFile(in: folder.url, for: nil)
        try file.truncate()
        try write("the first, longer", to: file)
        try file.truncate()
        try write("second", to: file)
        try file.finish()
        #expect(try Data(contentsOf: file.url) == Data("second".utf8) && file.size == 6)
    }

    @Test("A folder that cannot contain it is an error that names the file and the reason") func failure() throws {
        let request = URL(string: "http://a.test/")
        let file = DownloadFile(in: URL(fileURLWithPath: "/nowhere/at/all"), for: request)
        do {
            try write("x", to: file)
            Issue.record("The file was written")
        } catch let error as URLError {
            #expect(error.code == .cannotCreateFile)
            #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == request)
            #expect(error.localizedDescription.contains(file.url.path))
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.userInfo[NSFilePathErrorKey] as? String == file.url.path)
            #expect((cause?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ENOENT))
        }
        file.remove()
    }

    @Test("A file that was removed or replaced while it was written is an error at its end", arguments: [true, false])
    func removed(_ isReplaced: Bool) throws {
        let folder = try TemporaryFolder()
        let file = DownloadFile(in: folder.url, for: nil)
        try write("hello", to: file)
        try FileManager.default.removeItem(at: file.url)
        if isReplaced { try Data("other".utf8).write(to: file.url) }
        let error = #expect(throws: URLError.self) { try file.finish() }
        #expect(error?.code == .cannotWriteToFile)
        #expect(error?.localizedDescription.contains(file.url.path) == true)
    }

    @Test("Names are unique, and other names are not recognized") func names() {
        let folder = FileManager.default.temporaryDirectory
        let names = (0..<100).map { _ in DownloadFile(in: folder, for: nil).url.lastPathComponent }
        #expect(Set(names).count == 100 && names.allSatisfy(DownloadFile.isName))
        for name in ["", "ferry-.download", "ferry-x.download", "../ferry.download", names[0] + "x", "x" + names[0]] {
            #expect(!DownloadFile.isName(name), "\(name)")
        }
    }
}
