/// A file of the cache that is being written; it goes with the value unless it is published.
///
/// `@unchecked Sendable`: one thread writes it, and the count and name are read after that.
final class CachePart: @unchecked Sendable {
    private let folder: CacheFolder
    private let name: String
    private var descriptor: Int32
    private(set) var length = 0
    private var sum = CacheChecksum()
    private var isPublished = false

    var checksum: UInt64 { sum.value }

    /// Makes the file, and the folder where it is missing; `nil` where that cannot be.
    init?(folder: CacheFolder) {
        self.folder = folder
        name = UUID().uuidString + CacheFolder.partSuffix
        let path = folder.path(name)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = path.withCString { open($0, flags, 0o600) }
        if descriptor < 0, errno == ENOENT {
            try? FileManager.default.createDirectory(
                at: folder.url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            descriptor = path.withCString { open($0, flags, 0o600) }
        }
        if descriptor < 0 { return nil }
    }

    deinit {
        close()
        if !isPublished { folder.delete(name) }
    }

    /// Appends bytes, and answers whether the disk took them.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while let base = rest.baseAddress, rest.count > 0 {
            let count = Posix.writeFile(descriptor, base, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        length += bytes.count
        sum.update(bytes)
        return true
    }

    /// All that was written, mapped into memory; it stays readable whatever becomes of the file's name.
    func contents() -> Data? {
        try? Data(contentsOf: URL(fileURLWithPath: folder.path(name)), options: .alwaysMapped)
    }

    /// Gives the file its name, over another one of that name.
    func publish(as final: String) -> Bool {
        guard !isPublished, close(), rename(folder.path(name), folder.path(final)) == 0 else { return false }
        isPublished = true
        return true
    }

    /// Makes the file a body, and gives its name.
    func adopt() -> String? {
        let body = String(name.dropLast(CacheFolder.partSuffix.count)) + CacheFolder.bodySuffix
        return publish(as: body) ? body : nil
    }

    @discardableResult
    private func close() -> Bool {
        guard descriptor >= 0 else { return true }
        defer { descriptor = -1 }
        return Posix.closeFile(descriptor) == 0 || errno == EINTR
    }
}
