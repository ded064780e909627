import Ferry

/// The user names and passwords of a netrc file, as curl and ftp read it.
///
/// ```
/// machine api.example.com login ada password "a \"quoted\" word"
/// default login anonymous password me@example.com
/// ```
///
/// - Words are separated by white space and line breaks. A word in double quotes may contain them, with the escapes
///   `\"`, `\\`, `\n`, `\r` and `\t`.
/// - A word that begins with `#` begins a comment, to the end of the line.
/// - `account` and its value are ignored, as are unknown words. `macdef` begins a macro, which is ignored up to the
///   next empty line.
/// - The first entry for a host counts; without user name and password, nothing is sent. `default` is for all hosts
///   without an entry; entries after it are ignored.
///
/// As in curl, the file's permissions are not checked: they should be 0600. Its textual descriptions do not contain
/// passwords.
struct NetrcFile: Sendable, Hashable {
    /// A user name and a password, for one host or for all of them.
    struct Entry: Sendable, Hashable {
        /// The name of the host as it was written; `nil` for the entry `default`.
        let machine: String?
        /// The user name; empty if the entry has none.
        var login = ""
        /// The password; empty if the entry has none.
        var password = ""

        init(machine: String?) { self.machine = machine }
    }

    /// The size limit of a file, in bytes: 128 KiB, as in curl.
    static let maximumSize = 131_072

    /// The file `.netrc` in the folder that the environment variable `HOME` names, as in curl, or else in the user's
    /// home folder.
    static var defaultURL: URL {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        // Foundation does not read the variable.
        let folder = home.isEmpty ? FileManager.default.homeDirectoryForCurrentUser : URL(fileURLWithPath: home)
        return folder.appendingPathComponent(".netrc", isDirectory: false)
    }

    /// The entries in the order of the file, without those that are never used.
    let entries: [Entry]

    /// The indices of the entries by the normalized name of their host.
    private let indices: [String: Int]

    /// Creates a value from a text; throws ``NetrcError`` if it is too large or a quoted word does not end on its line.
    init(_ text: String) throws(NetrcError) {
        guard text.utf8.count <= Self.maximumSize else {
            throw NetrcError(message: "The netrc file has more than \(Self.maximumSize) bytes")
        }
        var indices: [String: Int] = [:]
        var entries: [Entry] = []
        for entry in try NetrcParser.entries(in: text) {
            if let machine = entry.machine {
                // An invalid name cannot be the host of a request.
                guard let name = (try? URLHost(machine))?.name, indices[name] == nil else { continue }
                indices[name] = entries.count
            }
            entries.append(entry)
            if entry.machine == nil { break }
        }
        self.indices = indices
        self.entries = entries
    }

    /// Returns the first entry for a host, or else the entry `default`; `nil` if there is none.
    ///
    /// The host is a name or an address, which is compared without regard to case and spelling.
    func entry(forHost host: String) -> Entry? {
        guard let name = (try? URLHost(host))?.name else { return nil }
        if let index = indices[name] { return entries[index] }
        // There is no entry after the default one.
        return entries.last.flatMap { $0.machine == nil ? $0 : nil }
    }
}

/// An error of a netrc file, as a sentence that contains no part of the file.
struct NetrcError: Error, Sendable, Hashable {
    let message: String
}

extension NetrcFile: RedactedDescription {
    var description: String { "a netrc file with \(entries.count) entries" }
}

extension NetrcFile.Entry: RedactedDescription {
    /// The host, without user name and password.
    var description: String { machine.map { "a netrc entry for \($0)" } ?? "the default netrc entry" }
}
