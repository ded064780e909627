import FerrySession

// Code that takes a `URLSession`, as many libraries do, and how it gets a `CurlSession`. Nothing above the line knows of
// Ferry: with `import Foundation` and FoundationNetworking it is the same.

/// A feed's entries, by a session that the caller brings.
final class FeedReader: Sendable {
    private let session: URLSession

    init(session: URLSession = .shared) {
        self.session = session
    }

    /// Fetches a feed; its lines are the entries.
    func entries(of feed: URL) async throws -> [String] {
        // The completion handler is where libraries that run on Linux too build their `async` functions on.
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

    /// Begins to fetch an attachment; the session's delegate hears of it.
    func fetchAttachment(_ url: URL) -> URLSessionDownloadTask {
        let task = session.downloadTask(with: url)
        task.resume()
        return task
    }
}

/// The delegate of a session whose tasks fetch attachments.
final class AttachmentKeeper: NSObject, URLSessionDownloadDelegate {
    private let folder: URL
    private let finished: @Sendable (Result<URL, any Error>) -> Void

    init(folder: URL, finished: @escaping @Sendable (Result<URL, any Error>) -> Void) {
        self.folder = folder
        self.finished = finished
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        // The file is there until this function returns.
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

/// What code may ask for instead of a class, where it is to be given `async` functions.
protocol DataLoading: Sendable {
    func data(from url: URL) async throws -> (Data, URLResponse)
}

/// A page's title, by whatever loads data.
func pageTitle(of url: URL, with loader: some DataLoading) async throws -> String? {
    let (data, _) = try await loader.data(from: url)
    return String(decoding: data, as: UTF8.self).firstMatch(of: /<title>(.*?)<\/title>/.ignoresCase()).map {
        String($0.1)
    }
}

// ---------------------------------------------------------------------------------------------------------------------

/// The one place that knows which session it is.
enum Sessions {
    /// A session for `FeedReader`, with what URLSession has no place for.
    static func make(delegate: (any URLSessionDelegate)? = nil) -> URLSession {
        var options = CurlSession.Options()
        options.connectTimeout = 5
        return CurlSession(configuration: .default, options: options, delegate: delegate)
    }
}

// Through a variable of type `URLSession`, FoundationNetworking's own `async` functions cannot be overridden: there
// `session.data(from:)` throws `unsupportedURL`, and sends nothing. On one of type `CurlSession`, or through a protocol,
// they are Ferry's.
extension CurlSession: DataLoading {}
