import Ferry

extension CurlSession {
    /// Adds the cookies of the files of `-b` to the session's storage.
    static func addCookies(
        _ options: FetchOptions,
        to storage: HTTPCookieStorage?,
        _ console: Console?
    )
        throws(CommandFailure)
    {
        for path in options.cookieFiles {
            guard let cookies = try CookieFile.read(path) else {
                // The first run with `-b jar -c jar` has no file yet.
                console?.note("\(PresentableText.path(path)): there is no such file; there are no cookies yet")
                continue
            }
            for cookie in cookies { storage?.setCookie(cookie) }
        }
    }
}

extension RunContext {
    /// Writes the file of `-c`; returns the failure if that was not possible.
    func writeCookies() async -> CommandFailure? {
        guard let path = options.cookieJar else { return nil }
        await withCheckedContinuation { continuation in session.flush { continuation.resume() } }
        let (text, omitted) = CookieFile.text(of: session.configuration.httpCookieStorage?.cookies ?? [])
        do {
            if path == "-" {
                try await OutputDescriptor.standardOutput.write(Data(text.utf8))
            } else {
                try CookieFile.write(text, to: path)
            }
        } catch let failure as CommandFailure {
            return failure
        } catch {
            return CommandFailure(.file, "\(path): \(error.localizedDescription)")
        }
        if omitted > 0 { console.note("\(path): \(omitted) cookies have characters that the file cannot contain") }
        return nil
    }
}

/// Adds the cookies of `-b NAME=VALUE` to those that the session sends, as long as the origin is that of the URL.
struct CookieSigner: RequestSigner {
    let text: String

    func signature(for request: SignableRequest, in attempt: RequestAttempt) async throws -> [String: String] {
        guard !attempt.hasLeftOrigin else { return [:] }
        let stored = request.headerFields.first { $0.name.lowercased() == "cookie" }?.value
        return ["Cookie": [stored, text].compactMap { $0 }.joined(separator: "; ")]
    }
}
