/// System calls under names that no method shadows, whatever C library the platform has.
enum Posix {
    @discardableResult
    static func closeFile(_ descriptor: Int32) -> Int32 {
        close(descriptor)
    }

    static func writeFile(_ descriptor: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
        write(descriptor, base, count)
    }
}
