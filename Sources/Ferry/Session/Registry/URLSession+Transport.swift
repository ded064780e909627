import FerrySession

extension URLSession {
    /// Whether this is FoundationNetworking's session, whose limitations the managers work around.
    var isFoundationNetworking: Bool {
        #if os(Linux)
        return type(of: self) == URLSession.self
        #else
        return false
        #endif
    }

    /// The session of refused requests, whose tasks are real and cancelled before they can run.
    static let refusals = URLSession(configuration: .ephemeral)
}

extension URLSessionTask {
    /// Whether this is a task of FoundationNetworking's session.
    var isFoundationNetworking: Bool {
        #if os(Linux)
        return [URLSessionDataTask.self, URLSessionUploadTask.self, URLSessionDownloadTask.self]
            .contains { type(of: self) == $0 }
        #else
        return false
        #endif
    }
}
