import Ferry

/// A shell for which completions can be printed, generated from the table of options.
enum Completion: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    init(parsing name: String) throws(UsageError) {
        guard let shell = Completion(rawValue: name) else {
            let names = Completion.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--completion takes one of \(names), not '\(name)'")
        }
        self = shell
    }

    /// The script; `eval "$(ferry --completion bash)"` or `ferry --completion fish | source` loads it.
    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    // MARK: - bash

    private static var bashText: String {
        let words = Option.allCases.flatMap { names($0) }.joined(separator: " ")
        let cases = Option.allCases.filter { $0.valueName != nil }.map { option in
            let action =
                switch option.completedValue {
                // bash itself completes file names, and quotes them.
                case .file: "COMPREPLY=()"
                case .folder: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
                case .words(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
                case .text: "COMPREPLY=()"
                }
            return "        \(names(option).joined(separator: "|"))) \(action); return ;;"
        }
        return """
            # Completions of ferry for bash; to load them: eval "$(ferry --completion bash)"
            _ferry() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                case $previous in
            \(cases.joined(separator: "\n"))
                esac
                if [[ $current == -* ]]; then
                    COMPREPLY=($(compgen -W '\(words)' -- "$current"))
                fi
            }
            complete -o default -F _ferry ferry

            """
    }

    // MARK: - zsh

    private static var zshText: String {
        let lines = Option.allCases.map { option in
            let text = description(option)
                .replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
            let value =
                switch option.completedValue {
                case _ where option.valueName == nil: ""
                case .file: ":file:_files"
                case .folder: ":folder:_files -/"
                case .words(let words): ":value:(\(words.joined(separator: " ")))"
                case .text: ":value: "
                }
            let forms = option.valueName == nil ? ("", "") : ("+", "=")
            let specs = [option.short.map { "-\($0)\(forms.0)" }, "--\(option.rawValue)\(forms.1)"].compactMap { $0 }
            return specs.map { "        " + quoted("*\($0)[\(text)]\(value)") + " \\" }.joined(separator: "\n")
        }
        return """
            #compdef ferry
            # Completions of ferry for zsh; to load them: eval "$(ferry --completion zsh)"
            _ferry() {
                _arguments -s -S \\
            \(lines.joined(separator: "\n"))
                    '*:URL or item:_urls'
            }
            if [ "$funcstack[1]" = "_ferry" ]; then _ferry "$@"; else compdef _ferry ferry; fi

            """
    }

    // MARK: - fish

    private static var fishText: String {
        let lines = Option.allCases.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value =
                switch option.completedValue {
                case _ where option.valueName == nil: ""
                case .file: " -r -F"
                case .folder: " -x -a '(__fish_complete_directories)'"
                case .words(let words): " -x -a '\(words.joined(separator: " "))'"
                case .text: " -x"
                }
            let text = description(option).replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return "complete -c ferry\(short) -l \(option.rawValue)\(value) -d '\(text)'"
        }
        return "# Completions of ferry for fish; to load them: ferry --completion fish | source\n"
            + lines.joined(separator: "\n") + "\n"
    }

    // MARK: - Words

    private static func names(_ option: Option) -> [String] {
        [option.short.map { "-\($0)" }, "--\(option.rawValue)"].compactMap { $0 }
    }

    /// The beginning of the option's description, up to a semicolon.
    private static func description(_ option: Option) -> String {
        String(option.help.joined(separator: " ").prefix { $0 != ";" })
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    fileprivate static func words(of option: Option) -> [String] {
        option == .request ? methods : option == .completion ? allCases.map(\.rawValue) : []
    }
}

extension Option {
    /// What a shell proposes for the value of an option.
    fileprivate enum CompletedValue {
        case file
        case folder
        case words([String])
        case text
    }

    fileprivate var completedValue: CompletedValue {
        let words = Completion.words(of: self)
        if !words.isEmpty { return .words(words) }
        guard let valueName else { return .text }
        if valueName == "FOLDER" { return .folder }
        return valueName.hasPrefix("FILE") || valueName == "PATH" ? .file : .text
    }
}
