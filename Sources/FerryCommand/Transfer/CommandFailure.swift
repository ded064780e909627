import Ferry

/// The failure of a transfer: an exit status and a one-line message.
struct CommandFailure: Error, Equatable {
    let status: ExitStatus
    let message: String
    /// The code of the underlying `URLError`, if there is one.
    var urlErrorCode: Int?

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Returns the message without the URL that it begins with.
    func message(without url: URL) -> String {
        let start = url.presentableText + ": "
        return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
    }

    /// Returns the failure of a system call on a file.
    static func file(_ path: String, _ what: String, errno number: Int32) -> CommandFailure {
        CommandFailure(.file, "\(path): \(what): \(String(cString: strerror(number)))")
    }

    /// Returns the failure to open, read or write a file.
    static func file(_ error: FileError, _ what: String) -> CommandFailure {
        CommandFailure(.file, "\(error.path): \(what): \(error.reasonText)")
    }

    /// Returns the failure for a response whose status is an HTTP error.
    static func http(_ response: HTTPURLResponse, _ url: URL) -> CommandFailure {
        let reason = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
        return CommandFailure(.http, "\(url.presentableText): HTTP \(response.statusCode) \(reason)")
    }
}
