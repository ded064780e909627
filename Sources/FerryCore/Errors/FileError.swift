/// A failed system call on a file, or a file that must not be used.
package struct FileError: Error, Sendable, Hashable, DescribedError {
    /// The reason why a file could not be used.
    package enum Reason: Sendable, Hashable {
        /// The system call failed with this value of `errno`.
        case system(Int32)
        /// The path names a pipe, a socket or a device.
        case notRegular
        case foreignOwner
        /// Other users can write the file, in a folder in which they can also create files.
        case writableByOthers
        case tooSmall(Int64, needed: Int64)
        case tooLarge(limit: Int)
    }

    /// The operation that failed, such as `open`.
    package let operation: String
    package let path: String
    package let reason: Reason

    package init(_ operation: String, path: String, reason: Reason) {
        self.operation = operation
        self.path = path
        self.reason = reason
    }

    /// Records the failure of the system call just made.
    package init(_ operation: String, path: String, code: Int32 = errno) {
        self.init(operation, path: path, reason: .system(code))
    }

    /// The value of `errno` that best describes the failure.
    package var code: Int32 {
        switch reason {
        case .system(let code): code
        case .notRegular: EINVAL
        case .foreignOwner, .writableByOthers: EPERM
        case .tooSmall: EINVAL
        case .tooLarge: EFBIG
        }
    }

    package var reasonText: String {
        switch reason {
        case .system(EISDIR): "Is a directory, not a regular file"
        case .system(ELOOP): "Is a symbolic link, or leads through too many of them"
        case .system(let code): String(cString: strerror(code))
        case .notRegular: "Not a regular file"
        case .foreignOwner: "The file belongs to another user"
        case .writableByOthers: "Other users can write the file, and its folder"
        case .tooSmall(let count, let needed): "The file has \(count) bytes, and \(needed) are needed"
        case .tooLarge(let limit): "The file has more than \(limit) bytes"
        }
    }

    package var posixError: any Error {
        POSIXErrorCode(rawValue: code).map { POSIXError($0) } ?? NSError(domain: NSPOSIXErrorDomain, code: Int(code))
    }

    /// The operation, the path and the reason.
    package var description: String { "\(operation) \(path): \(reasonText)" }
}
