import Ferry

// The file names of `-O`.
extension FileName {
    /// The length in bytes of the longest name that leaves room for `.part.ferry.new`.
    private static let longest = maximumByteCount - 15

    /// A name, and whether the server chose it; a file with such a name never replaces another.
    struct Choice: Equatable {
        var name: String
        var isServersChoice: Bool
    }

    /// Returns the name for a response: the one it suggests, or else the one in the requested URL.
    static func choose(_ url: URL, _ response: HTTPURLResponse) -> Choice {
        let own = name(in: url)
        let field = response.value(forHTTPHeaderField: "Content-Disposition").flatMap { ContentDisposition($0) }
        guard let name = field?.safeFileName(maximumByteCount: longest), name != own else {
            return Choice(name: own, isServersChoice: false)
        }
        return Choice(name: name, isServersChoice: true)
    }

    /// Returns the last component of the URL's path, or `index.html` if there is none.
    static func name(in url: URL) -> String {
        let part = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let name = String(part).removingPercentEncoding ?? String(part)
        return component(name, maximumByteCount: longest) ?? "index.html"
    }

    /// Returns the name of the file in the working directory whose partial file belongs to the URL, if there is one.
    static func unfinished(_ url: URL) -> String? {
        let suffix = PartFile.recordSuffix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        let found = names.sorted().first { name in
            name.hasSuffix(suffix) && (try? PartRecord.read(name))?.url == url.withoutCredentials
        }
        return found.map { String($0.dropLast(suffix.count)) }
    }
}
