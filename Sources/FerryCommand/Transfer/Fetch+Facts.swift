import Ferry

extension Fetch {
    /// The name under which progress is shown.
    var name: String {
        switch destination {
        case .file(let path): return path.split(separator: "/").last.map(String.init) ?? path
        case .remoteName: return FileName.name(in: url)
        case .standardOutput: break
        }
        if let file = options.uploadFile, file != "-" {
            return file.split(separator: "/").last.map(String.init) ?? file
        }
        return url.host(percentEncoded: false) ?? "body"
    }

    /// The file that the command line names, if any.
    var file: String? {
        if case .file(let path) = destination { return path }
        return nil
    }

    /// Returns the record from which the response can be continued later.
    func record(for response: HTTPURLResponse) -> PartRecord {
        let hasOwnRange = options.headers.contains { $0.name.lowercased() == "range" }
        let mayContinue = options.effectiveMethod == "GET" && !options.writesHead && !hasOwnRange
        var request = URLRequest(url: url)
        request.httpMethod = options.effectiveMethod
        let validator = ContinuationRule.validator(for: response, request: request)
        let length = response.expectedContentLength
        return PartRecord(
            url: url.withoutCredentials,
            validator: mayContinue ? validator : nil,
            length: options.writesHead || length < 0 ? nil : length
        )
    }
}
