import Ferry

/// A form part in the syntax of `-F`: `name=text`, `name=@file` or `name=<file`, with `;type=…` and `;filename=…`.
struct FormField: Equatable, Sendable {
    /// The source of a part's bytes.
    enum Content: Equatable, Sendable {
        case text(String)
        /// A file that is sent with its name.
        case file(String)
        /// A file whose contents are sent as text.
        case textFile(String)
    }

    let name: String
    let content: Content
    var type: String?
    var fileName: String?
}

extension FormField {
    init(parsing argument: String) throws(UsageError) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            if argument.contains("://") {
                throw UsageError("--form takes a part such as NAME=VALUE; --as-form sends items as a form")
            }
            throw UsageError(
                "A form part must be NAME=VALUE, NAME=@FILE or NAME=<FILE, not \(UsageError.quoted(argument))"
            )
        }
        name = String(argument[..<equals])
        var rest = argument[argument.index(after: equals)...]
        let mark = rest.first
        if mark == "@" || mark == "<" { rest.removeFirst() }
        let value = Self.value(&rest)
        switch mark {
        case "@": content = .file(value)
        case "<": content = .textFile(value)
        default: content = .text(value)
        }
        if mark == "@" || mark == "<", value.isEmpty || value.utf8.contains(0) {
            throw UsageError("The part \(UsageError.shown(name)) needs a file name")
        }
        while let parameter = Self.parameter(at: rest) {
            rest = parameter.rest
            let value = Self.value(&rest)
            switch parameter.key {
            case .type:
                guard Self.isMediaType(value.prefix { $0 != ";" }), HeaderRule.isValue(value) else {
                    let part = UsageError.shown(name)
                    throw UsageError("\(UsageError.quoted(value)) is not a valid type for the part \(part)")
                }
                type = value
            case .fileName: fileName = value
            case .headers, .encoder:
                let part = UsageError.shown(name)
                throw UsageError("The part \(part) has \(parameter.key.rawValue)=, which --form lacks")
            }
        }
        guard rest.isEmpty else {
            let part = UsageError.shown(name)
            throw UsageError("The part \(part) has \(UsageError.quoted(rest)) after the closing quote")
        }
    }

    /// The parameters of curl's syntax.
    private enum Key: String, CaseIterable {
        case type
        case fileName = "filename"
        case headers
        case encoder
    }

    /// Whether `text` is a type and a subtype; in curl's syntax, a comma after them begins another file.
    private static func isMediaType(_ text: Substring) -> Bool {
        let names = text.trimmingCharacters(in: .whitespaces).split(separator: "/", omittingEmptySubsequences: false)
        return names.count == 2 && names.allSatisfy { HeaderRule.isToken(String($0)) }
    }

    /// Returns the key of the parameter that `text` begins with and the rest, or `nil` if it begins with none.
    private static func parameter(at text: Substring) -> (key: Key, rest: Substring)? {
        guard text.first == ";" else { return nil }
        let text = text.dropFirst().drop { $0 == " " || $0 == "\t" }
        // Not of the whole text, since there may be many parameters.
        let start = text.prefix(10).lowercased()
        guard let key = Key.allCases.first(where: { start.hasPrefix($0.rawValue + "=") }) else { return nil }
        return (key, text.dropFirst(key.rawValue.count + 1))
    }

    /// Consumes and returns a value: a quoted one, or everything up to the next parameter, other semicolons included.
    private static func value(_ rest: inout Substring) -> String {
        if let quoted = quoted(rest) {
            rest = quoted.rest
            return quoted.value
        }
        var end = rest.startIndex
        while end < rest.endIndex, parameter(at: rest[end...]) == nil {
            end = rest.index(after: end)
        }
        defer { rest = rest[end...] }
        return String(rest[..<end])
    }

    /// Returns the quoted value that `text` begins with and the rest, or `nil` if there is no closed pair of quotes.
    ///
    /// A backslash escapes a quote or a backslash.
    private static func quoted(_ text: Substring) -> (value: String, rest: Substring)? {
        guard text.first == "\"" else { return nil }
        var rest = text.dropFirst()
        var value = ""
        while let character = rest.popFirst() {
            if character == "\"" { return (value, rest) }
            if character == "\\", rest.first == "\"" || rest.first == "\\", let next = rest.popFirst() {
                value.append(next)
            } else {
                value.append(character)
            }
        }
        return nil
    }
}
