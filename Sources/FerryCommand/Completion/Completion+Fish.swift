extension Completion {
    static var fishText: String {
        let lines = Option.allCases.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value = option.completedValue.map(fishValue) ?? ""
            let summary = option.summary.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return "complete -c ferry\(short) -l \(option.rawValue)\(value) -d '\(summary)'"
        }
        return """
            # Completions of ferry for fish. In ~/.config/fish/config.fish: ferry --completion fish | source
            # Or in the file ~/.config/fish/completions/ferry.fish.
            function __ferry_value
                commandline -ct | string replace -r -- '^--[a-z-]+=' ''
            end
            function __ferry_files_after_at
                set -l parts (string match -r -- '^([^/@<]*[@<])(.*)$' (__ferry_value))
                or return
                for file in (__fish_complete_path $parts[3])
                    printf '%s\\n' $parts[2]$file
                end
            end
            # Operands are URLs and items, not files.
            complete -c ferry -f
            complete -c ferry -n __fish_is_first_token -a '\(methods.joined(separator: " "))' -d method
            complete -c ferry -a '(__ferry_files_after_at)'
            \(lines.joined(separator: "\n"))

            """
    }

    private static func fishValue(_ value: Option.CompletedValue) -> String {
        switch value {
        case .file: " -r -F"
        case .fileAfterAt: " -x -a '(__ferry_files_after_at)'"
        case .folder: " -x -a '(__fish_complete_directories (__ferry_value))'"
        case .words(let words): " -x -a '\(words.joined(separator: " "))'"
        case .text: " -x"
        }
    }
}
