import Ferry

final class SameHost: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(
            request.url?.host == response.url?.host ? request : nil
        )
    }
}

final class Keeper: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        guard challenge.previousFailureCount == 0 else {
            return completionHandler(.performDefaultHandling, nil)
        }
        completionHandler(
            .useCredential,
            URLCredential(
                user: "ada",
                password: "secret",
                persistence: .forSession
            )
        )
    }
}

/// The snippets of the articles about transports, compiled but not run.
enum TransportSnippets {
    static func proxyOption() {
        var options = CurlSession.Options()
        options.proxy = .http(
            "proxy.example",
            port: 3128,
            user: "ada",
            password: "secret",
            except: ["*.internal"]
        )
        let session = CurlSession(configuration: .default, options: options)
        _ = session
    }

    static func resolver(resolverURL: URL) {
        var options = CurlSession.Options()
        options.dnsOverHTTPS = resolverURL
        options.network.addresses = ["dns.example": ["192.0.2.53"]]
        let session = CurlSession(configuration: .default, options: options)
        _ = session
    }

    static func proxyDictionary() {
        let configuration = URLSessionConfiguration.default
        configuration.connectionProxyDictionary = [
            "HTTPSEnable": 1, "HTTPSProxy": "proxy.example", "HTTPSPort": 3128,
            "ExceptionsList": ["*.local"],
        ]
    }

    static func network(versionURL: URL) async throws {
        var options = CurlSession.Options()
        options.network.unixSockets = ["docker": .path("/run/docker.sock")]
        options.network.addresses = [
            "api.example.com:443": ["192.0.2.7", "2001:db8::7"]
        ]
        options.network.localEndpoint = .interface("eth1")
        options.network.ipVersion = .v4
        let docker = CurlSession(configuration: .default, options: options)
        let (version, _) = try await docker.data(from: versionURL)
        print(version.count)
    }

    static func httpVersions(url: URL) async throws {
        var options = CurlSession.Options()
        options.httpVersions = .http2PriorKnowledge
        let session = CurlSession(configuration: .ephemeral, options: options)
        let (page, _) = try await session.data(from: url)
        print(page.count)
    }

    static func resume(session: CurlSession, url: URL, record: URL, destination: URL) async throws {
        var resumeData = try? Data(contentsOf: record)
        for attempt in 1...5 {
            do {
                let (file, _) =
                    if let resumeData {
                        try await session.download(resumeFrom: resumeData)
                    } else {
                        try await session.download(from: url)
                    }
                try FileManager.default.moveItem(at: file, to: destination)
                try? FileManager.default.removeItem(at: record)
                return
            } catch let error as URLError {
                let used = resumeData
                resumeData = error.userInfo[URLSessionDownloadTaskResumeData] as? Data
                if let resumeData {
                    try resumeData.write(to: record, options: .atomic)
                } else {
                    try? FileManager.default.removeItem(at: record)
                }
                let canGoOn = used != nil || resumeData != nil
                guard canGoOn, attempt < 5 else { throw error }
            }
        }
    }

    static func background(folder: URL, library: URL, baseURL: URL) {
        var options = CurlSession.Options()
        options.durability = .directory(folder, identifier: "photos")
        let manager = HTTPSessionManager(
            baseURL: baseURL,
            transport: .curl(options: options)
        )
        manager.hooks.downloadTaskDidFinishDownloading = { _, task, _ in
            library.appendingPathComponent(task.taskDescription ?? "unnamed")
        }
        manager.hooks.sessionDidFinishEvents = { _ in print("everything from before has arrived") }
        manager.continueEarlierTasks()
    }

    static func resumeFolder() {
        var options = CurlSession.Options()
        options.temporaryDirectory = URL(
            fileURLWithPath: "/var/lib/example/downloads",
            isDirectory: true
        )
        let session = CurlSession(configuration: .default, options: options)
        _ = session
    }

    static func redirects() {
        var options = CurlSession.Options()
        options.maximumRedirects = 5
        options.sensitiveHeaders = ["X-Api-Key"]
        let session = CurlSession(configuration: .default, options: options)
        _ = session
    }

    static func credentials() {
        let storage = URLCredentialStorage()
        storage.set(
            URLCredential(user: "ada", password: "secret", persistence: .forSession),
            for: URLProtectionSpace(
                host: "api.example.com",
                port: 443,
                protocol: "https",
                realm: nil,
                authenticationMethod: NSURLAuthenticationMethodDefault
            )
        )
        let configuration = URLSessionConfiguration.default
        configuration.urlCredentialStorage = storage
    }

    static func cookies(url: URL) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieAcceptPolicy = .onlyFromMainDocumentDomain
        let session = CurlSession(configuration: configuration)
        let (_, _) = try await session.data(from: url)
        print(configuration.httpCookieStorage?.cookies?.map(\.name) ?? [])
    }

    static func cookieRequest(url: URL) {
        var request = URLRequest(url: url)
        request.httpShouldHandleCookies = false
        _ = request
    }

    static func cookieByHand(session: CurlSession) {
        let cookie = HTTPCookie(properties: [
            .name: "theme", .value: "dark", .domain: "example.com", .path: "/",
            .secure: "TRUE",
        ])
        if let cookie { session.configuration.httpCookieStorage?.setCookie(cookie) }
    }
}
