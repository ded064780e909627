import Ferry

/// The names that `-O` gives to files.
enum FileName {
    /// A name, and whether it was the server's choice: such a file replaces no other.
    struct Choice: Equatable {
        var name: String
        var isServersChoice: Bool
    }

    /// The name a response is saved under: the one it suggests, else the one in the URL that was asked for.
    static func choose(_ url: URL, _ response: HTTPURLResponse) -> Choice {
        let own = name(in: url)
        let disposition = response.value(forHTTPHeaderField: "Content-Disposition")
        if disposition?.lowercased().contains("filename") == true, let suggested = response.suggestedFilename {
            let safe = safe(suggested)
            if let safe, safe != own { return Choice(name: safe, isServersChoice: true) }
        }
        return Choice(name: own, isServersChoice: false)
    }

    /// The last part of the URL's path, or `index.html` where there is none.
    static func name(in url: URL) -> String {
        let part = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return safe(String(part).removingPercentEncoding ?? String(part)) ?? "index.html"
    }

    /// One path component that is not hidden and leads nowhere else, or `nil` where nothing is left of it.
    static func safe(_ name: String) -> String? {
        let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
        let printable = String.UnicodeScalarView(last.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
        var result = String(printable).trimmingCharacters(in: .whitespaces)
        while result.hasPrefix(".") { result.removeFirst() }
        // Room is left for `.part.ferry.new`.
        let longest = 240
        while result.utf8.count > longest { result.removeLast() }
        return result.isEmpty ? nil : result
    }

    /// The name whose partial file in the working directory was begun from the URL.
    static func unfinished(_ url: URL) -> String? {
        let suffix = PartFile.recordSuffix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []
        let found = names.sorted().first { name in
            name.hasSuffix(suffix) && PartRecord(contentsOf: name)?.url == url.withoutCredentials
        }
        return found.map { String($0.dropLast(suffix.count)) }
    }
}
