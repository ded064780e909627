import Foundation

/// The faults of a session that the managers work around.
struct TransportQuirks: Sendable {
    /// Whether refusing a redirect of a download ends the process.
    var crashesOnRefusedRedirectOfDownload = false
    /// Whether a challenge whose default handling is chosen is never completed.
    var hangsOnDefaultHandlingOfChallenge = false
    /// Whether a suspended task starts over when it is resumed.
    var restartsSuspendedTasks = false
    /// Whether the announced length of a streamed upload is sent together with `Transfer-Encoding: chunked`.
    var sendsLengthWithChunkedBody = false

    /// The faults of FoundationNetworking's session.
    static let foundationNetworking = TransportQuirks(
        crashesOnRefusedRedirectOfDownload: true,
        hangsOnDefaultHandlingOfChallenge: true,
        restartsSuspendedTasks: true,
        sendsLengthWithChunkedBody: true
    )

    /// The faults of Ferry's session, and of Apple's.
    static let none = TransportQuirks()
}

extension URLSession {
    /// The faults of this session.
    var quirks: TransportQuirks {
        #if os(Linux)
        return type(of: self) == URLSession.self ? .foundationNetworking : .none
        #else
        return .none
        #endif
    }

    /// The session of refused requests, whose tasks are real and cancelled before they can run.
    static let refusals = URLSession(configuration: .ephemeral)
}

extension URLSessionTask {
    /// The faults of the task's session.
    var quirks: TransportQuirks {
        #if os(Linux)
        let isFoundationNetworking = [
            URLSessionDataTask.self, URLSessionUploadTask.self, URLSessionDownloadTask.self,
        ].contains { type(of: self) == $0 }
        return isFoundationNetworking ? .foundationNetworking : .none
        #else
        return .none
        #endif
    }
}
