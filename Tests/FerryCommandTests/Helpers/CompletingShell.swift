import Foundation

@testable import FerryCommand

/// Asks zsh and fish for the completions of their scripts.
struct CompletingShell {
    /// The completions of a shell at the end of a command line.
    struct Offer: Equatable {
        var words: Set<String> = []
        /// The descriptions of the words that have one.
        var descriptions: Set<String> = []
        /// The command line after the tab key; zsh only.
        var line = ""
    }

    let shell: Completion

    private var program: String { "/usr/bin/\(shell.rawValue)" }

    static func isInstalled(_ shell: Completion) -> Bool {
        FileManager.default.isExecutableFile(atPath: CompletingShell(shell: shell).program)
    }

    /// Returns the completions of each line, in the folder.
    func offers(_ lines: [String], in folder: TemporaryFolder) async throws -> [String: Offer] {
        let files = try TemporaryFolder()
        try files.file("script", shell.text)
        try files.file("lines", lines.joined(separator: "\n"))
        try files.file("setup", Self.zshSetup)
        let script = shell == .zsh ? Self.zshText : Self.fishText
        let arguments = shell == .zsh ? ["-f", "-c", script] : ["--no-config", "-c", script]
        let outcome = try await FerryProcess.run(
            ["60", program] + arguments,
            in: folder,
            environment: ["FILES": files.url.path, "TERM": "dumb"],
            program: "/usr/bin/timeout"
        )
        guard outcome.status == 0, outcome.errors.isEmpty else { throw Failure(outcome: outcome) }
        return Self.offers(outcome.text)
    }

    struct Failure: Error {
        let outcome: FerryProcess.Outcome
    }

    /// Parses `#` and a line, then `+` and a completion, `:` and a description, and `=` and the line after the tab key.
    private static func offers(_ text: String) -> [String: Offer] {
        var offers: [String: Offer] = [:]
        var current = ""
        for line in text.split(separator: "\n") {
            let rest = String(line.dropFirst())
            switch line.first {
            case "#":
                current = rest
                offers[current] = Offer()
            case "+": offers[current]?.words.insert(rest)
            case ":": if !rest.isEmpty { offers[current]?.descriptions.insert(rest) }
            case "=": offers[current]?.line = rest
            // An error of the shell.
            default: offers[current, default: Offer()].words.insert("unexpected: \(line)")
            }
        }
        return offers
    }

    private static let fishText = """
        source $FILES/script
        cat $FILES/lines | while read -l line
            printf '#%s\\n' $line
            for offer in (complete -C $line)
                string replace -r '^([^\\t]*)\\t?(.*)$' '+$1\\n:$2' -- $offer
            end
        end
        """

    /// Starts a shell with a terminal, and presses its tab key.
    private static let zshText = """
        zmodload zsh/zpty
        export OUTPUT=$FILES/output
        zpty shell zsh -f -i
        zpty -w shell "source $FILES/setup; print RE''ADY"
        zpty -r shell text '*READY*'
        zpty -n -w shell $'\\t'
        while zpty -r shell text; do :; done
        cat $OUTPUT
        """

    /// The tab key completes each of the lines; the function that proposes words prints them too.
    private static let zshSetup = """
        PROMPT=; LISTMAX=100000; unsetopt auto_menu
        stty cols 400
        autoload -Uz compinit; compinit -u -D
        eval "$(cat $FILES/script)" 2>>$OUTPUT
        compadd() {
            if [[ ${@[1,(i)(-|--)]} != *-[OAD]\\ * ]]; then
                local hit place=$((${@[(i)-d]} + 1))
                local -a hits texts
                builtin compadd -A hits "$@"
                for hit in $hits; do print -r -- "+$IPREFIX$hit"; done >>$OUTPUT
                # The array with the texts of the list, which are `--name  -- description`.
                if ((place <= $#)); then texts=("${(@P)@[place]}"); fi
                for hit in ${(M)texts:#*-- *}; do print -r -- ":${${hit#*-- }%% #}"; done >>$OUTPUT
            fi
            builtin compadd "$@"
        }
        complete-lines() {
            local line
            for line in "${(f)$(<$FILES/lines)}"; do
                print -r -- "#$line" >>$OUTPUT
                BUFFER=$line; CURSOR=$#BUFFER
                zle complete-word
                print -r -- "=$BUFFER" >>$OUTPUT
            done 2>>$OUTPUT
            exit
        }
        zle -N complete-lines
        bindkey '^I' complete-lines
        """
}
