import Ferry

// An upload of files of any size: they are read while they are sent, so memory stays flat and progress is the wire's.

/// What the service says of an album it has received.
struct Receipt: Decodable, Equatable, Sendable {
    let album: String
    let photoCount: Int
    let byteCount: Int
}

/// Sends photos in one multipart form.
struct Uploader: Sendable {
    private let manager: HTTPSessionManager

    init(baseURL: URL) {
        let configuration = URLSessionConfiguration.default
        // The seconds in which no byte may move, in either direction: they do not limit how long an upload takes.
        configuration.timeoutIntervalForRequest = 30
        manager = HTTPSessionManager(baseURL: baseURL, configuration: configuration)
    }

    /// Sends photos in one form; cancelling the Swift task cancels the upload.
    ///
    /// - Parameters:
    ///   - photos: The files.
    ///   - album: The album's name.
    ///   - progress: Receives the part that is sent, from 0 to 1, on a queue of the library's.
    /// - Returns: What the service has received.
    /// - Throws: ``NetworkError``; with the code `fileError` for a file that is missing, or that changes while it is sent.
    func upload(
        _ photos: [URL],
        toAlbum album: String,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> Receipt {
        try await manager.upload(
            to: "albums",
            // Parameters are the form's first parts.
            parameters: Parameters(["album": album, "count": photos.count]),
            serializer: .decodable(Receipt.self, keys: .convertFromSnakeCase),
            progress: { update in
                // The length of a form is known before its first byte is read, except where a part is a stream.
                if let fraction = update.fractionCompleted { progress(fraction) }
            },
            multipartForm: { form in
                for photo in photos {
                    // The closure looks whether the file can be read; its bytes are read when their turn comes.
                    try form.append(fileURL: photo, name: "photo")
                }
                let captions = photos.map { $0.deletingPathExtension().lastPathComponent }
                try form.append(JSONEncoder().encode(captions), name: "captions", mimeType: "application/json")
            }
        )
    }

    /// Sends one file as the whole body, as storage services want it, and gives the entity tag of what is stored.
    func put(_ file: URL, at path: String, contentType: String) async throws -> String? {
        var request = URLRequest(url: try BaseURL.resolve(path, against: manager.baseURL))
        request.httpMethod = "PUT"
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        // A redirection or a challenge reads the file again from its beginning.
        let response = await manager.upload(for: request, fromFile: file, serializer: .data)
        if let error = response.error { throw error }
        return response.httpResponse?.value(forHTTPHeaderField: "ETag")
    }
}
