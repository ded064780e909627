/// Command lines as a shell reads them.
enum ShellText {
    /// The command that goes on with an interrupted one.
    static func resumption(_ program: String, _ arguments: [String], continues: Bool) -> String {
        ([program] + (continues ? [] : ["--continue"]) + arguments).map(quoted).joined(separator: " ")
    }

    /// The arguments without the URLs that are through and their `-o`; the URLs are counted from 0.
    static func arguments(_ arguments: [String], withURLs wanted: Set<Int>) -> [String] {
        guard let tokens = try? ArgumentScanner.scan(arguments) else { return arguments }
        var words: [String] = []
        var (urlCount, outputCount) = (0, 0)
        for token in tokens {
            switch token {
            case .operand(let url):
                if wanted.contains(urlCount) { words.append(url) }
                urlCount += 1
            case .option(let option, let value):
                if option == .output {
                    outputCount += 1
                    guard wanted.contains(outputCount - 1) else { continue }
                }
                words.append(option.short.map { "-\($0)" } ?? "--\(option.rawValue)")
                if let value { words.append(value) }
            }
        }
        return words
    }

    static func quoted(_ word: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,")
        if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
