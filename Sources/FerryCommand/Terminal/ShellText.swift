/// Command lines as a shell reads them.
enum ShellText {
    /// The command that goes on with an interrupted one.
    static func resumption(of arguments: [String], continues: Bool) -> String {
        (["ferry"] + (continues ? [] : ["--continue"]) + arguments).map(quoted).joined(separator: " ")
    }

    static func quoted(_ word: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,")
        if !word.isEmpty, word.allSatisfy(plain.contains) { return word }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
