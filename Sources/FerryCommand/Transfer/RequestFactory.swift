import Ferry

/// Creates the request for one URL.
enum RequestFactory {
    static func make(_ url: URL, _ options: FetchOptions, _ body: UploadBody, to destination: Destination) -> URLRequest
    {
        var request = URLRequest(url: target(url, options))
        request.httpMethod = options.effectiveMethod
        request.timeoutInterval = options.timeout
        switch body {
        case .none: break
        case .data(let data, let type):
            request.httpBody = data
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        case .form(let form):
            request.httpBodyStream = body.makeStream(isFirst: true)
            request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
            request.setValue(String(form.contentLength), forHTTPHeaderField: "Content-Length")
        case .file(_, let length):
            request.httpBodyStream = body.makeStream(isFirst: true)
            if let length { request.setValue(String(length), forHTTPHeaderField: "Content-Length") }
        }
        // A file must be the bytes on the server, with a known length, so that a download can be continued.
        if destination != .standardOutput { request.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
        request.setValue(options.json.isEmpty ? "*/*" : "application/json", forHTTPHeaderField: "Accept")
        for name in Set(options.headers.map(\.name)) { request.setValue(nil, forHTTPHeaderField: name) }
        for header in options.headers { request.addValue(header.value, forHTTPHeaderField: header.name) }
        return request
    }

    /// Returns the URL of the request; the name of an uploaded file is appended to a URL that ends in a slash.
    static func target(_ url: URL, _ options: FetchOptions) -> URL {
        guard let file = options.uploadFile, file != "-", url.path(percentEncoded: true).hasSuffix("/") else {
            return url
        }
        let name = file.split(separator: "/").last.map(String.init) ?? file
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        parts.path += name
        return parts.url ?? url
    }
}
