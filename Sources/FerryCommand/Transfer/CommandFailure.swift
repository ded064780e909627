import Ferry

/// Why a transfer failed: the exit status, and one line that names what was wrong.
struct CommandFailure: Error, Equatable {
    let status: ExitStatus
    let message: String
    /// The code of the `URLError`, where it was one.
    var urlErrorCode: Int?

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The message without the URL that it begins with.
    func message(without url: URL) -> String {
        let start = url.presentableText + ": "
        return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
    }

    /// A system call on a file failed.
    static func file(_ path: String, _ what: String, errno number: Int32) -> CommandFailure {
        CommandFailure(.file, "\(path): \(what): \(String(cString: strerror(number)))")
    }

    /// A file could not be opened, read or written.
    static func file(_ error: FileError, _ what: String) -> CommandFailure {
        CommandFailure(.file, "\(error.path): \(what): \(error.reasonText)")
    }

    /// The server answered with a status that is no success.
    static func http(_ response: HTTPURLResponse, _ url: URL) -> CommandFailure {
        let reason = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
        return CommandFailure(.http, "\(url.presentableText): HTTP \(response.statusCode) \(reason)")
    }
}
