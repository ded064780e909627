import Ferry

/// Refuses to write binary bytes to a terminal, which they may put into a strange state.
struct BinaryCheck {
    /// How many bytes at the beginning of a body are examined, as in curl.
    private var left = 2_000

    /// Throws if the next bytes of a body have a null byte, which no text has.
    mutating func check(_ data: Data) throws(CommandFailure) {
        let part = data.prefix(left)
        left -= part.count
        guard part.contains(0) else { return }
        throw CommandFailure(
            .file,
            "the body is binary and is not written to a terminal; use -o FILE, or -o - to write it anyway"
        )
    }
}
