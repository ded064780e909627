import FerrySession

/// The snippets of the README, compiled and not run.
enum ReadmeSnippets {
    static func session(url: URL) async throws {
        let session = CurlSession(configuration: .default)
        let (data, response) = try await session.data(from: url)
        _ = (data, response)
    }
}
