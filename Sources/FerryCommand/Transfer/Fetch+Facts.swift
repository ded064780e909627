import Ferry

extension Fetch {
    /// The name that progress is shown under.
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

    /// The file that the command line names.
    var file: String? {
        if case .file(let path) = destination { return path }
        return nil
    }

    /// What is kept of the response to continue it later.
    func record(for response: HTTPURLResponse) -> PartRecord {
        let hasOwnRange = options.headers.contains { $0.name.lowercased() == "range" }
        let mayContinue = options.effectiveMethod == "GET" && !options.writesHead && !hasOwnRange
        let validator = Validator.find(status: response.statusCode) { response.value(forHTTPHeaderField: $0) }
        let length = response.expectedContentLength
        return PartRecord(
            url: url.withoutCredentials,
            validator: mayContinue ? validator : nil,
            length: options.writesHead || length < 0 ? nil : length
        )
    }
}

extension ContinueRule.Answer {
    init(_ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode,
            contentRange: response.value(forHTTPHeaderField: "Content-Range"),
            entityTag: response.value(forHTTPHeaderField: "ETag")
        )
    }
}
