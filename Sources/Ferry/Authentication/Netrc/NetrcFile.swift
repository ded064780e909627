import FerrySession

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
/// - `account` and its value are ignored, as are unknown words. `macdef` begins a macro, which is ignored up to the next
///   empty line.
/// - The first entry for a host counts. `default` is for all hosts; entries after it are ignored.
///
/// Who else may read the file is not checked, as in curl: give it the permissions 0600. Its textual descriptions do not
/// contain passwords.
public struct NetrcFile: Sendable, Hashable {
    /// A user name and a password, for one host or for all of them.
    public struct Entry: Sendable, Hashable {
        /// The name of the host as it was written; `nil` for the entry `default`.
        public let machine: String?
        /// The user name; empty if the entry has none.
        public internal(set) var login = ""
        /// The password; empty if the entry has none.
        public internal(set) var password = ""

        init(machine: String?) { self.machine = machine }
    }

    /// The size limit of a file, in bytes: 128 KiB, as in curl.
    public static let maximumSize = 131_072

    /// The file `.netrc` in the folder that the environment variable `HOME` names, as in curl, or else in the user's
    /// home folder.
    public static var defaultURL: URL {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        // Foundation does not read the variable.
        let folder = home.isEmpty ? FileManager.default.homeDirectoryForCurrentUser : URL(fileURLWithPath: home)
        return folder.appendingPathComponent(".netrc", isDirectory: false)
    }

    /// The entries in the order of the file, without those that are never used.
    public let entries: [Entry]

    /// The indices of the entries by the normalized name of their host.
    private let indices: [String: Int]
    private let fallback: Entry?

    /// Reads a file.
    ///
    /// - Parameter url: The file; by default `.netrc` in the home folder.
    /// - Throws: ``NetrcError`` if it cannot be read, or is not a regular file, is too large or malformed.
    public init(contentsOf url: URL = NetrcFile.defaultURL) throws(NetrcError) {
        let data: Data
        do {
            data = try RegularFile.contents(of: url.path, links: .follow, limit: Self.maximumSize)
        } catch {
            if case .tooLarge = error.reason { throw .tooLarge }
            throw NetrcError(.unreadable, error.description)
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw NetrcError(.malformed, "The netrc file is not UTF-8 text")
        }
        try self.init(text)
    }

    /// Creates a value from the text of a file.
    ///
    /// - Parameter text: The text.
    /// - Throws: ``NetrcError`` if it is too large or malformed.
    public init(_ text: String) throws(NetrcError) {
        guard text.utf8.count <= Self.maximumSize else { throw .tooLarge }
        var parser = NetrcParser()
        try parser.read(text)
        var indices: [String: Int] = [:]
        var entries: [Entry] = []
        for entry in parser.entries {
            if let machine = entry.machine {
                // A name that is not a host cannot be that of a request.
                guard let name = (try? URLHost(machine))?.name, indices[name] == nil else { continue }
                indices[name] = entries.count
            }
            entries.append(entry)
            if entry.machine == nil { break }
        }
        self.indices = indices
        self.entries = entries
        fallback = entries.last.flatMap { $0.machine == nil ? $0 : nil }
    }

    /// Returns the entry for a host; `nil` if there is none.
    ///
    /// - Parameter host: A name or an address, which is compared without regard to case and spelling.
    /// - Returns: Its first entry, or else the entry `default`.
    public func entry(forHost host: String) -> Entry? {
        guard let name = (try? URLHost(host))?.name else { return nil }
        return indices[name].map { entries[$0] } ?? fallback
    }
}

/// An error of a netrc file; it contains no part of the file.
public struct NetrcError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The kind of an error; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Creates a code with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The file does not exist, cannot be read, or is not a regular file.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file is larger than ``NetrcFile/maximumSize``.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The file is not UTF-8, or a quoted word does not end on its line.
        public static let malformed = Code(rawValue: "malformed")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence that describes the error.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var errorDescription: String? { message }
    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    static let tooLarge = NetrcError(.tooLarge, "The netrc file has more than \(NetrcFile.maximumSize) bytes")
}

extension NetrcFile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of entries.
    public var description: String { "a netrc file with \(entries.count) entries" }
    /// The number of entries.
    public var debugDescription: String { description }
    /// An empty mirror, since `dump` would print passwords.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension NetrcFile.Entry: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The host, without user name and password.
    public var description: String { machine.map { "a netrc entry for \($0)" } ?? "the default netrc entry" }
    /// The host, without user name and password.
    public var debugDescription: String { description }
    /// An empty mirror, since `dump` would print the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
