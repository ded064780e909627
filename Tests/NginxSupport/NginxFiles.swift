import Ferry

/// The files that nginx serves under `/files/`, and under other paths of that folder.
package struct NginxFiles: Sendable {
    /// A hundred million pseudorandom bytes, so that a wrong byte is noticed.
    package let large: URL
    package static let largeSize = 100_000_000
    package let largeSHA256: String

    /// One gibibyte of zeros, a sparse file.
    package let huge: URL
    package static let hugeSize = 1_073_741_824

    /// Two million bytes of text.
    package let text: URL

    package init(in folder: URL) throws {
        large = folder.appendingPathComponent("large.bin")
        huge = folder.appendingPathComponent("huge.bin")
        text = folder.appendingPathComponent("text.txt")
        let script = #"""
            set -e
            key=000102030405060708090a0b0c0d0e0f
            head -c "$2" /dev/zero | openssl enc -aes-128-ctr -K $key -iv $key -out "$1"
            openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1 > "$1.sha256"
            truncate -s "$4" "$3"
            touch -d '2020-01-02 03:04:05 UTC' "$1" "$3"
            """#
        try Subprocess.run("sh", ["-c", script, "sh", large.path, "\(Self.largeSize)", huge.path, "\(Self.hugeSize)"])
        let digest = try String(contentsOf: large.appendingPathExtension("sha256"), encoding: .utf8)
        largeSHA256 = digest.trimmingCharacters(in: .whitespacesAndNewlines)
        let lines = (0..<40_000).map { "Line \($0): the quick brown fox jumps over a dog.\n" }
        try Data(lines.joined().utf8).write(to: text)
    }
}
