import Ferry

extension Completion {
    static var zshText: String {
        let lines = Option.allCases.flatMap { option in
            zshSpecs(option).map { "        " + $0.shellQuoted + " \\" }
        }
        return """
            #compdef ferry
            # Completions of ferry for zsh. In ~/.zshrc, after compinit: eval "$(ferry --completion zsh)"
            # Or in a file named _ferry, in a folder of fpath.
            _ferry_value() {
                if compset -P '*[@<]'; then _files; else _message "$1"; fi
            }
            _ferry_operand() {
                if compset -P '[^/@]##@'; then _files; else _urls; fi
            }
            _ferry_first() {
                _alternative 'methods:method:(\(methods.joined(separator: " ")))' 'urls:URL:_urls'
            }
            _ferry() {
                _arguments -s -S \\
            \(lines.joined(separator: "\n"))
                    '1:URL or method:_ferry_first' \\
                    '*:URL or item:_ferry_operand'
            }
            if [ "$funcstack[1]" = "_ferry" ]; then _ferry "$@"; else compdef _ferry ferry; fi

            """
    }

    /// Returns the specifications of an option's names for `_arguments`.
    private static func zshSpecs(_ option: Option) -> [String] {
        let summary = option.summary
            .replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]")
        let prefix =
            option.isAlone ? "(- *)" : option.isRepeatable ? "*" : "(\(option.names.joined(separator: " ")))"
        return option.names.map { name in
            let form = option.valueName == nil ? "" : name.hasPrefix("--") ? "=" : "+"
            return prefix + name + form + "[\(summary)]" + zshValue(option)
        }
    }

    private static func zshValue(_ option: Option) -> String {
        guard let value = option.completedValue, let name = option.valueName else { return "" }
        let label = name.replacing("'", with: "").replacing(":", with: "\\:")
        switch value {
        case .file: return ":\(label):_files"
        case .fileAfterAt: return ":\(label):{_ferry_value \"\(name)\"}"
        case .folder: return ":\(label):_files -/"
        case .words(let words): return ":\(label):(\(words.joined(separator: " ")))"
        case .text: return ":\(label): "
        }
    }
}
