extension RegularFile {
    /// The permissions of a new file, as the process's `umask` has them.
    package static var newPermissions: mode_t {
        // A call of umask would replace the mask for a moment, also for the files of other threads.
        let status = try? contents(of: "/proc/self/status", links: .follow, limit: 65_536)
        let lines = String(decoding: status ?? Data(), as: UTF8.self).split(separator: "\n")
        let value = lines.first { $0.hasPrefix("Umask:") }?.split(whereSeparator: \.isWhitespace).last
        return 0o666 & ~(value.flatMap { mode_t($0, radix: 8) } ?? 0o022)
    }
}
