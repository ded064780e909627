extension UUID {
    /// A random UUID (version 4, RFC 9562, section 5.4).
    ///
    /// Foundation's initializer reads `/dev/urandom`. Where that cannot be opened, for example without a free file
    /// descriptor, it returns the same UUID each time.
    @usableFromInline package static var random: UUID {
        var bytes = UInt128.random(in: 0...UInt128.max)
        bytes = bytes & ~(0xF000 << 64) | (0x4000 << 64)
        bytes = bytes & ~(0xC000 << 48) | (0x8000 << 48)
        return withUnsafeBytes(of: bytes.bigEndian) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
