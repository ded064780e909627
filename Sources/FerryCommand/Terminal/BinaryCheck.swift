import Ferry

/// Refuses to write binary data to a terminal, whose state it could change.
struct BinaryCheck {
    /// The number of bytes at the beginning of a body that are still to be examined; 2,000 in all, as in curl.
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
