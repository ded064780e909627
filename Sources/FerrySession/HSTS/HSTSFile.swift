/// The file format of curl's option `--hsts`: a line for each host, with the date and time at which its entry ends.
///
/// ```
/// .example.com "20271231 23:59:59"
/// ```
///
/// A dot before the name includes the names below it. The time is in UTC; `unlimited` is for an entry without an end.
enum HSTSFile {
    private static let maximumSize = 16_777_216
    private static let header = "# The hosts that are only used over TLS (RFC 6797). This file is replaced.\n"

    /// Returns the hosts of a file whose entries have not ended; the last entry for a name counts.
    static func hosts(in file: URL, now: Date = .current) throws -> [String: HSTSStore.Host] {
        let data = try RegularFile.contents(of: file.path, links: .follow, limit: maximumSize)
        let text = String(decoding: data, as: UTF8.self)
        var hosts: [String: HSTSStore.Host] = [:]
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let host = host(line) else {
                let text = "Line \(number + 1) of the file of hosts is not `host \"YYYYMMDD HH:MM:SS\"`"
                throw CurlSessionError(.invalidHSTSFile, text)
            }
            if host.expirationDate > now { hosts[host.name] = host }
        }
        return hosts
    }

    private static func host(_ line: String) -> HSTSStore.Host? {
        let words = line.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let end = date(words[1].trimmingCharacters(in: CharacterSet(charactersIn: " \"")))
        else {
            return nil
        }
        let includesSubdomains = words[0].hasPrefix(".")
        guard let host = try? URLHost(String(includesSubdomains ? words[0].dropFirst() : words[0])), host.kind == .name
        else { return nil }
        return HSTSStore.Host(name: host.name, includesSubdomains: includesSubdomains, expirationDate: end)
    }

    /// Reads `YYYYMMDD HH:MM:SS`, in UTC.
    private static func date(_ text: String) -> Date? {
        if text == "unlimited" { return .distantFuture }
        let digits = text.utf8.filter(\.isDigit).map { Int($0 - 0x30) }
        guard digits.count == 14, text.utf8.count == 17 else { return nil }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
        let clock = [number(8..<10), number(10..<12), number(12..<14)]
        guard clock[0] < 24, clock[1] < 60, clock[2] <= 60 else { return nil }
        return HTTPDate.date(year: number(0..<4), month: number(4..<6), day: number(6..<8), clock: clock)
    }

    private static func text(_ date: Date) -> String {
        guard date < .distantFuture else { return "unlimited" }
        // Such as 2000-01-01T00:00:00Z.
        let text = max(date, Date(timeIntervalSince1970: 0)).formatted(.iso8601)
        return text.prefix(10).filter { $0 != "-" } + " " + text.dropFirst(11).prefix(8)
    }

    /// Replaces the file by one with other hosts; only its owner can read it, since it shows which were visited.
    ///
    /// Meanwhile no other store changes the file. `change` gets the file's hosts, or `nil` if it is missing or damaged.
    /// A file that cannot be read, such as for lack of descriptors, is not replaced.
    static func update(
        _ file: URL,
        _ change: ([String: HSTSStore.Host]?) -> [String: HSTSStore.Host]
    ) throws -> [String: HSTSStore.Host] {
        let path = file.resolvingSymlinksInPath().path
        let old = try lock(path)
        defer { old.unlock() }
        // An empty file has just been created by the lock, since files that are written begin with a comment.
        var present: [String: HSTSStore.Host]?
        do { if try old.size() > 0 { present = try self.hosts(in: file) } } catch is CurlSessionError {}
        let hosts = change(present)
        let lines = hosts.values.sorted { $0.name < $1.name }.map { host in
            "\(host.includesSubdomains ? "." : "")\(host.name) \"\(text(host.expirationDate))\"\n"
        }
        try RegularFile.replace(path, with: Data((header + lines.joined()).utf8))
        return hosts
    }

    /// Returns the file at a path with a lock; it is created if it is missing.
    private static func lock(_ path: String) throws(FileError) -> RegularFile {
        for _ in 0..<200 {
            // A network's file system may lock only a file that is open for writing.
            let own = try? RegularFile(updating: path)
            let file = if let own { own } else { try RegularFile(reading: path, links: .refuse) }
            // The file may have been replaced before it was locked.
            if file.tryLock(), file.isAt(path) { return file }
            usleep(10_000)
        }
        throw FileError("lock", path: path, code: EWOULDBLOCK)
    }
}
