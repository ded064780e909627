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
}
