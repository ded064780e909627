import Ferry
import FerryTransfers

/// The opened destination of one transfer.
enum Target {
    /// A pipe, a terminal or a device, which can only be written sequentially.
    case stream(OutputDescriptor)
    case part(PartFile)
    /// A file whose name is not known until the response arrives.
    case unnamed

    /// Opens a destination.
    ///
    /// An existing file that is not a regular file, such as a device, is written to directly; a link is followed.
    init(
        _ destination: Destination,
        url: URL,
        folder: String? = nil,
        continues: Bool
    ) throws(CommandFailure) {
        switch destination {
        case .standardOutput: self = .stream(.standardOutput)
        case .remoteName:
            if continues, let name = FileName.unfinished(url, in: folder ?? ".") {
                // A name that is not from the URL was chosen by the server.
                let isOwn = name == FileName.name(in: url)
                self = .part(try PartFile(folder.map { $0 + "/" + name } ?? name, mayReplace: isOwn))
            } else {
                self = .unnamed
            }
        case .file(let path) where ProcessDescriptor.number(path) != nil:
            self = .stream(try OutputDescriptor(path: path, flags: O_NOCTTY))
        case .file(let path):
            switch path.fileType {
            case nil, S_IFREG?: self = .part(try PartFile(path.followingLinks))
            case S_IFDIR?: throw .file(path, "cannot be written", errno: EISDIR)
            default: self = .stream(try OutputDescriptor(path: path, flags: O_NOCTTY))
            }
        }
    }

    /// Throws an error if the partial file to continue belongs to another URL.
    func checkOrigin(_ url: URL) throws(CommandFailure) {
        guard let (part, record) = continuation, record.url != url.withoutCredentials else { return }
        throw CommandFailure(
            .file,
            "\(part.partPath): it was started from \(PresentableText.url(record.url)); omit --continue to start over"
        )
    }

    /// The partial file, if the body is written to one.
    var part: PartFile? { if case .part(let part) = self { part } else { nil } }

    /// The partial file with its record, or `nil` if there is none that can be continued.
    var continuation: (part: PartFile, record: PartRecord)? {
        guard case .part(let part) = self, let record = part.continuation else { return nil }
        return (part, record)
    }
}

extension String {
    /// The type of the file that the path leads to, such as `S_IFREG`; `nil` if there is none.
    var fileType: mode_t? {
        var info = stat()
        return stat(self, &info) == 0 ? info.st_mode & S_IFMT : nil
    }

    /// Whether the path leads to something that is not a regular file, such as a device, or names a descriptor.
    var isSpecialFile: Bool { ProcessDescriptor.number(self) != nil || ![nil, S_IFREG].contains(fileType) }

    /// The path to which links lead from this one, also if there is no such file yet.
    var followingLinks: String {
        var path = self
        // Linux follows as many links.
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            path = next.hasPrefix("/") ? next : folder + next
        }
        return self
    }
}

extension Destination {
    /// Creates the folder of the file and the folders above it, unless they exist.
    func createFolder(outputFolder: String?) throws(CommandFailure) {
        let folder: String?
        switch self {
        case .standardOutput: folder = nil
        case .remoteName: folder = outputFolder
        case .file(let path): folder = path.lastIndex(of: "/").map { String(path[...$0]) }
        }
        guard let folder else { return }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandFailure(.file, "\(PresentableText.path(folder)): the folder cannot be created")
        }
    }
}

// The file names of `-O`.
extension FileName {
    /// The length in bytes of the longest name that leaves room for `.part.ferry.new` and `.segments.state.new`, after
    /// a number that makes it unique.
    private static let longest = maximumByteCount - 25

    /// A name, and whether the server chose it; a file with such a name never replaces another.
    struct Choice: Equatable {
        var name: String
        var isServersChoice: Bool
    }

    /// Returns the name for a response: the one it suggests, or else the one in the requested URL.
    static func choose(_ url: URL, _ response: HTTPURLResponse) -> Choice {
        let own = name(in: url)
        let field = response.value(forHTTPHeaderField: "Content-Disposition").flatMap { ContentDisposition($0) }
        guard let name = field?.safeFileName(maximumByteCount: longest), name != own, !isReserved(name) else {
            return Choice(name: own, isServersChoice: false)
        }
        return Choice(name: name, isServersChoice: true)
    }

    /// Whether a name is that of a partial file, its record or a temporary file, which a server must not write.
    private static func isReserved(_ name: String) -> Bool {
        let parts = VerifiedDownload.partSuffix
        let suffixes = [
            PartFile.partSuffix, PartFile.recordSuffix, ".ferry.new", parts, parts + ".state", parts + ".state.new",
        ]
        let bytes = Array(name.lowercased().utf8)
        return suffixes.contains { bytes.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }

    /// Returns the last component of the URL's path, or `index.html` if there is none.
    static func name(in url: URL) -> String {
        let part = url.path(percentEncoded: true).split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        let name = String(part).removingPercentEncoding ?? String(part)
        return component(name, maximumByteCount: longest) ?? "index.html"
    }

    /// Returns the name of the file in a folder whose partial file belongs to the URL, if there is one.
    static func unfinished(_ url: URL, in folder: String = ".") -> String? {
        let suffix = PartFile.recordSuffix
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let found = names.sorted().first { name in
            name.hasSuffix(suffix) && (try? PartRecord.read(folder + "/" + name))?.url == url.withoutCredentials
        }
        return found.map { String($0.dropLast(suffix.count)) }
    }
}
