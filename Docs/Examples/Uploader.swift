import Ferry

// Uploads of files of any size: they are read while they are sent, so memory use is constant, and the progress counts
// the bytes that were sent.

/// The service's response for a received album.
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
        // The seconds without a byte in either direction after which an upload fails; the total time is not limited.
        configuration.timeoutIntervalForRequest = 30
        manager = HTTPSessionManager(baseURL: baseURL, configuration: configuration)
    }

    /// Sends photos in one form; cancelling the Swift task cancels the upload.
    ///
    /// - Parameters:
    ///   - photos: The files.
    ///   - album: The name of the album.
    ///   - progress: Called with the fraction that has been sent, from 0 to 1, on a queue of the library.
    /// - Returns: The service's response.
    /// - Throws: ``NetworkError``, with the code `fileError` if a file is missing or changes while it is sent.
    func upload(
        _ photos: [URL],
        toAlbum album: String,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> Receipt {
        let request = Request.post("albums", serializer: .decodable(Receipt.self, keys: .convertFromSnakeCase))
            // The parameters are the first parts of the form.
            .parameters(["album": album, "count": photos.count])
            .multipart { form in
                for photo in photos {
                    // Appending checks that the file can be read; its bytes are read while the form is sent.
                    try form.append(fileURL: photo, name: "photo")
                }
                let captions = photos.map { $0.deletingPathExtension().lastPathComponent }
                try form.append(JSONEncoder().encode(captions), name: "captions", mimeType: "application/json")
            }
            .uploadProgress { update in
                // The length of a form is known before its first byte is read, except where a part is a stream.
                if let fraction = update.fractionCompleted { progress(fraction) }
            }
        return try await manager.send(request)
    }

    /// Sends one file as the body, as storage services expect it, and returns the entity tag of the stored file.
    func put(_ file: URL, at path: String, contentType: String) async throws -> String? {
        var request = URLRequest(url: try BaseURL.resolve(path, against: manager.baseURL))
        request.httpMethod = "PUT"
        request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        // After a redirect or a challenge the file is read again from its beginning.
        let response = await manager.response(for: request, fromFile: file, serializer: .data)
        if let error = response.error { throw error }
        return response.httpResponse?.value(forHTTPHeaderField: "ETag")
    }
}
