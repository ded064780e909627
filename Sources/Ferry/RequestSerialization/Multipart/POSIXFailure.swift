import FerrySession

/// What system calls report through `errno`.
enum POSIXFailure {
    /// The failure of the system call made just before, on this thread.
    static func last() -> any Error {
        let number = errno
        return POSIXErrorCode(rawValue: number).map { code in POSIXError(code) }
            ?? NSError(domain: NSPOSIXErrorDomain, code: Int(number))
    }

    /// Makes a system call again for as long as signals interrupt it.
    static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR {
                return result
            }
        }
    }
}
