extension RegularFile {
    /// Returns the permissions of a file, which the file that replaces it gets; `nil` if there is no regular file.
    package static func permissions(of path: String) -> mode_t? {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return info.st_mode & 0o777
    }

    /// The permissions of a new file, as the process's `umask` has them.
    package static var newPermissions: mode_t {
        // A call of umask would replace the mask for a moment, also for the files of other threads.
        let status = try? contents(of: "/proc/self/status", links: .follow, limit: 65_536)
        let lines = String(decoding: status ?? Data(), as: UTF8.self).split(separator: "\n")
        let value = lines.first { $0.hasPrefix("Umask:") }?.split(whereSeparator: \.isWhitespace).last
        return 0o666 & ~(value.flatMap { mode_t($0, radix: 8) } ?? 0o022)
    }
}
