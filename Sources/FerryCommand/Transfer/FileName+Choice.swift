import Ferry

/// The names that `-O` gives to files.
extension FileName {
    /// The longest name, in bytes, that leaves room for `.part.ferry.new`.
    private static let longest = maximumByteCount - 15

    /// A name, and whether it was the server's choice: such a file replaces no other.
    struct Choice: Equatable {
        var name: String
        var isServersChoice: Bool
    }

    /// The name a response is saved under: the one it suggests, else the one in the URL that was asked for.
    static func choose(_ url: URL, _ response: HTTPURLResponse) -> Choice {
        let own = name(in: url)
        let field = response.value(forHTTPHeaderField: "Content-Disposition").flatMap { ContentDisposition($0) }
        guard let name = field?.safeFileName(maximumByteCount: longest), name != own else {
            return Choice(name: own, isServersChoice: false)
        }
        return Choice(name: name, isServersChoice: true)
    }

    /// The last part of the URL's path, or `index.html` where there is none.
    static func name(in url: URL) -> String {
        let part = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let name = String(part).removingPercentEncoding ?? String(part)
        return component(name, maximumByteCount: longest) ?? "index.html"
    }

    /// The name whose partial file in the working directory was begun from the URL.
    static func unfinished(_ url: URL) -> String? {
        let suffix = PartFile.recordSuffix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        let found = names.sorted().first { name in
            name.hasSuffix(suffix) && (try? PartRecord.read(name))?.url == url.withoutCredentials
        }
        return found.map { String($0.dropLast(suffix.count)) }
    }
}
