/// The options of a command line: `--name value` pairs, and flags.
public struct Options: Sendable {
    private var values: [String: String] = [:]

    /// Parses the words after the program's name.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - flags: The names of the options without a value.
    /// - Throws: ``BenchmarkError`` for a word that is not an option, or an option without its value.
    public init(_ words: [String], flags: Set<String> = []) throws {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else { throw BenchmarkError("\(word) is not an option") }
            let name = String(word.dropFirst(2))
            if flags.contains(name) {
                values[name] = ""
            } else {
                guard let value = rest.popFirst() else { throw BenchmarkError("--\(name) has no value") }
                values[name] = value
            }
        }
    }

    /// The names of the options that were given.
    public var names: [String] { values.keys.sorted() }

    /// The value of an option; nil if it was not given.
    public subscript(name: String) -> String? { values[name] }

    /// Returns whether a flag was given.
    public func has(_ flag: String) -> Bool { values[flag] != nil }

    /// Returns the value of an option, or throws if it was not given.
    public func required(_ name: String) throws -> String {
        guard let value = values[name] else { throw BenchmarkError("--\(name) is missing") }
        return value
    }

    /// Returns the value of an option as a number; nil if it was not given.
    public func integer(_ name: String) throws -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number >= 0 else { throw BenchmarkError("--\(name) is not a number: \(text)") }
        return number
    }

    /// Returns the comma-separated words of an option; nil if it was not given.
    public func list(_ name: String) -> [String]? {
        values[name]?.split(separator: ",").map(String.init)
    }
}
