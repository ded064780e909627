import FerrySession

// How to pass a `CurlSession` to code that takes a `URLSession`, as many libraries do. Nothing above the line depends
// on Ferry: the code is the same with `import Foundation` and FoundationNetworking.

/// Reads feeds with a session that the caller provides.
final class FeedReader: Sendable {
    private let session: URLSession

    init(session: URLSession = .shared) {
        self.session = session
    }

    /// Fetches a feed and returns its entries, one per line.
    func entries(of feed: URL) async throws -> [String] {
        // Libraries that also run on Linux build their `async` functions on completion handlers.
        let (data, response) = try await withCheckedThrowingContinuation { continuation in
            let task = session.dataTask(with: feed) { data, response, error in
                if let data, let response {
                    continuation.resume(returning: (data, response))
                } else {
                    continuation.resume(throwing: error ?? URLError(.unknown))
                }
            }
            task.resume()
        }
        guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Starts to download an attachment; the result is reported to the session's delegate.
    func fetchAttachment(_ url: URL) -> URLSessionDownloadTask {
        let task = session.downloadTask(with: url)
        task.resume()
        return task
    }
}

/// A session delegate that keeps downloaded attachments.
final class AttachmentKeeper: NSObject, URLSessionDownloadDelegate {
    private let folder: URL
    private let finished: @Sendable (Result<URL, any Error>) -> Void

    init(folder: URL, finished: @escaping @Sendable (Result<URL, any Error>) -> Void) {
        self.folder = folder
        self.finished = finished
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        // The temporary file is deleted when this method returns.
        let file = folder.appendingPathComponent(downloadTask.originalRequest?.url?.lastPathComponent ?? "attachment")
        finished(
            Result {
                try FileManager.default.moveItem(at: location, to: file)
                return file
            }
        )
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { finished(.failure(error)) }
    }
}

/// A protocol for code that needs `async` functions, to be used instead of the class `URLSession`.
protocol DataLoading: Sendable {
    func data(from url: URL) async throws -> (Data, URLResponse)
}

/// Returns the title of a page, loaded with any conforming type.
func pageTitle(of url: URL, with loader: some DataLoading) async throws -> String? {
    let (data, _) = try await loader.data(from: url)
    return String(decoding: data, as: UTF8.self).firstMatch(of: /<title>(.*?)<\/title>/.ignoresCase()).map {
        String($0.1)
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/// The only part of the program that depends on the type of the session.
enum Sessions {
    /// Returns a session for `FeedReader`, with an option that URLSession does not have.
    static func make(delegate: (any URLSessionDelegate)? = nil) -> URLSession {
        var options = CurlSession.Options()
        options.connectTimeout = 5
        return CurlSession(configuration: .default, options: options, delegate: delegate)
    }
}

// On a variable of type `URLSession`, `session.data(from:)` is FoundationNetworking's function, which asks the session
// to load the request. On a variable of type `CurlSession`, or through a protocol, Ferry's function is called.
extension CurlSession: DataLoading {}
