/// The protocol and limits that a server offers before an upload is created.
struct UploadOffer: Sendable, Equatable {
    var resumption: FileUpload.Resumption
    var maximumBytes: Int64?
    var maximumBytesOfRequest: Int64?
    /// Whether a tus server joins the uploads of parts.
    var joinsParts = false
    /// The digests that a tus server checks.
    var checksums: Set<ContentDigest.Algorithm> = []

    init(_ resumption: FileUpload.Resumption) { self.resumption = resumption }

    /// Reads the response to `OPTIONS`; without an offer, the draft is tried, which servers need not offer.
    init(_ response: HTTPURLResponse) {
        self.init(.resumableUploads)
        guard 200..<300 ~= response.statusCode else { return }
        maximumBytes = UploadProtocol.limit("max-size", in: response)
        maximumBytesOfRequest = UploadProtocol.limit("max-append-size", in: response)
        let items = { (name: String) in
            (response.value(forHTTPHeaderField: name) ?? "").split(separator: ",")
                .prefix(64)
                .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        }
        guard items("Tus-Version").contains(UploadProtocol.tusVersion) else { return }
        resumption = .tus
        let extensions = items("Tus-Extension")
        joinsParts = extensions.contains("concatenation")
        guard extensions.contains("checksum") else { return }
        let names = items("Tus-Checksum-Algorithm")
        let offered = ContentDigest.Algorithm.allCases.filter { names.contains(UploadProtocol.checksumName($0)) }
        checksums = Set(offered)
    }
}
