import FerrySession

/// A system call that failed on a file.
struct POSIXFault: Error, CustomStringConvertible, LocalizedError {
    /// The value of `errno`.
    let code: Int32

    /// The call and the file, and what was wrong.
    let description: String

    var errorDescription: String? { description }

    /// Records the failure of the call just made.
    init(_ call: String, path: String, code: Int32 = errno) {
        self.code = code
        description = "\(call) \(path): \(String(cString: strerror(code)))"
    }
}
