import Ferry

/// Reads and writes cookie files in the format of Netscape's browser, as curl does.
///
/// Each line is a cookie with seven fields that are separated by tabs: the domain, whether subdomains are included, the
/// path, whether it is sent only over TLS, the time at which it expires in seconds since 1970 or 0, the name, the
/// value.
enum CookieFile {
    /// The largest size of a file in bytes.
    static let maximumBytes = 16_777_216
    private static let httpOnlyMark = "#HttpOnly_"
    /// The key of a cookie's property that scripts cannot read it.
    private static let httpOnlyKey = HTTPCookiePropertyKey("HttpOnly")

    /// Returns the cookies in a file (`-` means standard input) without those that have expired, or `nil` if there is
    /// no such file; an error names the file and the line, and never contains a value.
    static func read(_ path: String, now: Date = Date()) throws(CommandFailure) -> [HTTPCookie]? {
        if path != "-", access(path, F_OK) != 0, errno == ENOENT { return nil }
        return try cookies(in: try UploadBody.content(path, limit: maximumBytes), path: path, now: now)
    }

    static func cookies(in data: Data, path: String, now: Date) throws(CommandFailure) -> [HTTPCookie] {
        var cookies: [HTTPCookie] = []
        for (index, bytes) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            var line = String(decoding: bytes, as: UTF8.self)[...]
            if line.utf8.last == 0x0D { line = line[..<line.utf8.index(before: line.utf8.endIndex)] }
            let isHTTPOnly = line.hasPrefix(httpOnlyMark)
            if isHTTPOnly { line = line.dropFirst(httpOnlyMark.count) }
            guard isHTTPOnly || !line.hasPrefix("#"), !line.allSatisfy(\.isWhitespace) else { continue }
            do throws(UsageError) {
                // The jar would be written with other bytes.
                guard String(validating: bytes, as: UTF8.self) != nil else { throw UsageError("it is not UTF-8 text") }
                let cookie = try cookie(line, isHTTPOnly: isHTTPOnly)
                if cookie.expiresDate.map({ $0 > now }) ?? true { cookies.append(cookie) }
            } catch {
                throw CommandFailure(.file, "\(path), line \(index + 1): \(error.message)")
            }
        }
        return cookies
    }

    private static func cookie(_ line: Substring, isHTTPOnly: Bool) throws(UsageError) -> HTTPCookie {
        var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        // An empty value may have lost its tab.
        if fields.count == 6 { fields.append("") }
        guard fields.count == 7 else {
            throw UsageError("a cookie has 7 fields separated by tabs, not \(fields.count)")
        }
        guard fields.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
            throw UsageError("a field has a control character")
        }
        let domain = fields[0].hasPrefix(".") ? String(fields[0].dropFirst()) : fields[0]
        guard !domain.isEmpty else { throw UsageError("the domain is missing") }
        guard let expires = Int64(fields[4]), expires >= 0 else {
            throw UsageError("the time of expiry is not a number")
        }
        var properties: [HTTPCookiePropertyKey: Any] = [
            .domain: try flag(fields[1], "second") ? "." + domain : domain,
            .path: fields[2].isEmpty ? "/" : fields[2], .name: fields[5], .value: fields[6],
        ]
        if try flag(fields[3], "fourth") { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[httpOnlyKey] = "TRUE" }
        // The year 9999: a date beyond it cannot be written as text.
        let latest: Int64 = 253_402_300_799
        if expires > 0 {
            properties[.expires] = Date(timeIntervalSince1970: TimeInterval(min(expires, latest)))
        } else {
            properties[.discard] = "TRUE"
        }
        guard let cookie = HTTPCookie(properties: properties) else { throw UsageError("it is not a valid cookie") }
        return cookie
    }

    private static func flag(_ text: String, _ position: String) throws(UsageError) -> Bool {
        switch text.uppercased() {
        case "TRUE": return true
        case "FALSE": return false
        default: throw UsageError("the \(position) field is neither TRUE nor FALSE")
        }
    }
}

extension CookieFile {
    /// Returns the text of a file, and the number of cookies that the format cannot express.
    static func text(of cookies: [HTTPCookie]) -> (text: String, omitted: Int) {
        let lines = cookies.compactMap(line).sorted()
        let head = "# Netscape HTTP Cookie File\n# Written by ferry.\n\n"
        return (head + lines.map { $0 + "\n" }.joined(), cookies.count - lines.count)
    }

    private static func line(_ cookie: HTTPCookie) -> String? {
        let expires = cookie.expiresDate.map { String(Int64(max($0.timeIntervalSince1970, 1))) } ?? "0"
        let fields = [
            cookie.domain, cookie.domain.hasPrefix(".") ? "TRUE" : "FALSE", cookie.path,
            cookie.isSecure ? "TRUE" : "FALSE", expires, cookie.name, cookie.value,
        ]
        guard fields.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }), !cookie.domain.isEmpty else {
            return nil
        }
        return (cookie.isHTTPOnly ? httpOnlyMark : "") + fields.joined(separator: "\t")
    }

    /// Writes a file; an existing one is replaced in one step, and only its owner can read it.
    ///
    /// A link is followed, and a device, a pipe or an open descriptor is written to directly.
    static func write(_ text: String, to path: String) throws(CommandFailure) {
        if path.isSpecialFile { return try OutputDescriptor(path: path, flags: O_NOCTTY).writeAll(Data(text.utf8)) }
        do throws(FileError) {
            // Another process may be writing the same file, and processes in containers may have the same number.
            let suffix = ".\(UInt32.random(in: 0...UInt32.max)).ferry.new"
            try RegularFile.replace(path.followingLinks, with: Data(text.utf8), suffix: suffix)
        } catch {
            throw .file(error, "cannot be written")
        }
    }
}
