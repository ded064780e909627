import Testing

@testable import FerryTransfers

@Suite struct SegmentFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("Another download can have the file as soon as it is closed or removed, before its object is released")
    func closing() async throws {
        let path = folder.path("a")
        let first = try await SegmentFile(destination: path)
        await #expect(throws: VerifiedDownloadError.isBusy(path: first.partPath)) {
            try await SegmentFile(destination: path)
        }
        try await first.close()
        let second = try await SegmentFile(destination: path)
        await second.remove()
        #expect(folder.names.isEmpty)
        #expect(throws: VerifiedDownloadError.self) {
            try Data("late".utf8).withUnsafeBytes { try first.write($0, at: 0) }
        }
        await first.remove()
        withExtendedLifetime((first, second)) {}
    }

    @Test("A file that was removed is not published, and the one that has its name by then stays with its record")
    func replaced() async throws {
        let first = try await SegmentFile(destination: folder.path("a"))
        unlink(first.partPath)
        let second = try await SegmentFile(destination: folder.path("a"))
        let url = try #require(URL(string: "http://host/"))
        let plan = SegmentPlan(total: 9, done: [0..<3])
        let state = SegmentState(source: url, validator: "\"v\"", digest: nil, plan: plan)
        try await second.save(state, synchronized: false)
        let published = await failure { try await first.publish(total: 0, synchronized: false) }
        let saved = await failure { try await first.save(state, synchronized: false) }
        for error in [published, saved] {
            guard case .file(second.partPath, ESTALE, _) = error as? VerifiedDownloadError else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        await first.remove()
        #expect(folder.names == ["a.segments", "a.segments.state"])
        #expect(SegmentState.read(second.statePath) == state)
    }

    @Test("Reserved space is used by the file, and does not change its size") func reserve() async throws {
        let file = try await SegmentFile(destination: folder.path("a"))
        file.reserve(0..<4_194_304)
        var info = stat()
        #expect(stat(file.partPath, &info) == 0)
        #expect(info.st_size == 0)
        // A file system that cannot reserve space reserves none for the file.
        #expect(info.st_blocks == 0 || info.st_blocks * 512 >= 4_194_304)
        try Data("abc".utf8).withUnsafeBytes { try file.write($0, at: 0) }
        try await file.publish(total: 3, synchronized: false)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("a"))) == Data("abc".utf8))
        try await file.close()
        file.reserve(0..<1)
    }

    @Test("A pipe that appears at the destination during the download is not replaced") func latePipe() async throws {
        let path = folder.path("a")
        let file = try await SegmentFile(destination: path)
        #expect(mkfifo(path, 0o600) == 0)
        let expected = VerifiedDownloadError.file(path: path, code: EINVAL, reason: "Not a regular file")
        await #expect(throws: expected) { try await file.publish(total: 0, synchronized: false) }
        var info = stat()
        #expect(stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("A file that may be incomplete does not get its name") func unwritten() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let folder = try TemporaryFolder()
                let file = try await SegmentFile(destination: folder.path("a"))
                // No descriptor can be made, so no descriptor can be closed.
                let error = await Child.withoutDescriptors {
                    await failure { try await file.publish(total: 0, synchronized: false) }
                }
                try Child.expect(error is VerifiedDownloadError, "\(String(describing: error))")
                try Child.expect(folder.names == ["a.segments"], "\(folder.names)")
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("A new file has the permissions that the mask of the process allows when it is published")
    func permissions() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let folder = try TemporaryFolder()
                for (mask, expected) in [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)] as [(mode_t, mode_t)] {
                    umask(mask)
                    let path = folder.path("\(mask)")
                    let file = try await SegmentFile(destination: path)
                    try await file.publish(total: 0, synchronized: false)
                    var info = stat()
                    try Child.expect(stat(path, &info) == 0, "no file")
                    try Child.expect(info.st_mode & 0o777 == expected, String(info.st_mode, radix: 8))
                    try Child.expect(umask(mask) == mask, "another mask")
                }
            }
        }
        Child.check(result?.standardOutputContent)
    }
}
