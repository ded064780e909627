extension Completion {
    static var bashText: String {
        let words = Option.allCases.flatMap(\.names).joined(separator: " ")
        let cases = Option.allCases.compactMap { option in
            option.completedValue.map { value in
                "        \(option.names.joined(separator: "|"))) \(bashAction(value)); return ;;"
            }
        }
        return """
            # Completions of ferry for bash. In ~/.bashrc: eval "$(ferry --completion bash)"
            _ferry() {
                local current=${COMP_WORDS[COMP_CWORD]} index=$((COMP_CWORD - 1)) previous
                # For bash, = and @ are words; the word to replace includes the @, but not the =.
                if [[ $current == = || $current == *@ ]]; then
                    current=
                    index=$COMP_CWORD
                fi
                previous=${COMP_WORDS[index]}
                if [[ $previous == *@ ]]; then
                    local file
                    while IFS= read -r file; do
                        if [[ -d $file ]]; then
                            file+=/
                            compopt -o nospace 2>/dev/null
                        fi
                        printf -v file '@%q' "$file"
                        COMPREPLY+=("$file")
                    done < <(compgen -f -- "$current")
                    return
                fi
                if [[ $previous == = ]]; then previous=${COMP_WORDS[index-1]}; fi
                case $previous in
            \(cases.joined(separator: "\n"))
                esac
                if [[ $current == -* ]]; then
                    COMPREPLY=($(compgen -W '\(words)' -- "$current"))
                elif ((COMP_CWORD == 1)); then
                    COMPREPLY=($(compgen -W '\(methods.joined(separator: " "))' -- "$current"))
                fi
            }
            complete -o default -F _ferry ferry

            """
    }

    private static func bashAction(_ value: Option.CompletedValue) -> String {
        switch value {
        // bash itself completes file names, and quotes them.
        case .file, .fileAfterAt, .text: "COMPREPLY=()"
        case .folder: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        case .words(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
        }
    }
}
