import Ferry

/// A shell for which completions can be printed, generated from the table of options.
enum Completion: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    init(parsing name: String) throws(UsageError) {
        guard let shell = Completion(rawValue: name) else {
            let names = Completion.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--completion takes one of \(names), not \(UsageError.quoted(name))")
        }
        self = shell
    }

    /// The script; its first lines say how to load it.
    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    /// The methods that are proposed for `--request`, and in front of the URL.
    static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
}

extension Option {
    /// The values that a shell proposes for an option.
    enum CompletedValue {
        case file
        /// A text, in which a file name may follow an `@`.
        case fileAfterAt
        case folder
        case words([String])
        case text
    }

    /// The values that are proposed for the option; `nil` for an option without a value.
    var completedValue: CompletedValue? {
        guard let valueName else { return nil }
        switch self {
        case .request: return .words(Completion.methods)
        case .completion: return .words(Completion.allCases.map(\.rawValue))
        case .outputFolder, .queueFolder: return .folder
        case .cookie: return .file
        case .form, .dataURLEncode: return .fileAfterAt
        default:
            if valueName.hasSuffix("@FILE") { return .fileAfterAt }
            return valueName.hasPrefix("FILE") || valueName == "PATH" ? .file : .text
        }
    }

    /// Whether each use of the option counts; of other options, the last one counts.
    var isRepeatable: Bool {
        switch self {
        case .url, .header, .data, .dataRaw, .dataBinary, .dataURLEncode, .json, .form, .cookie, .output, .pin,
            .resolve, .next, .config, .mirror, .remoteName:
            true
        default: false
        }
    }

    /// Whether the option excludes all others.
    var isAlone: Bool { self == .help || self == .version || self == .completion }

    var names: [String] { [short.map { "-\($0)" }, "--\(rawValue)"].compactMap { $0 } }

    /// The beginning of the option's description, up to a semicolon.
    var summary: String { String(help.prefix { $0 != ";" }) }
}
