internal import CFerry

/// A file in memory, for certificates that libcurl keeps parsed only if it reads them from a file.
final class MemoryFile: Sendable {
    private let descriptor: Int32

    /// Makes a file with the given bytes, or returns `nil` if the system cannot.
    init?(_ bytes: UnsafeRawBufferPointer) {
        descriptor = ferry_memory_file(bytes.baseAddress, bytes.count)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// The path of the file; `nil` where the process cannot open it, as after a change of its user or without `/proc`.
    var path: String? {
        let path = "/proc/self/fd/\(descriptor)"
        return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 ? path : nil
    }
}
