import FerryFormats
import Testing

@Suite("MIME types")
struct MIMETypeTests {
    @Test(
        "Common extensions have their types",
        arguments: [
            ("cer", "application/x-x509-ca-cert"), ("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"),
            ("gif", "image/gif"), ("json", "application/json"), ("txt", "text/plain"), ("html", "text/html"),
            ("pdf", "application/pdf"), ("mp4", "video/mp4"), ("mov", "video/quicktime"), ("mp3", "audio/mpeg"),
            ("m4a", "audio/mp4"), ("zip", "application/zip"), ("gz", "application/gzip"), ("csv", "text/csv"),
            ("heic", "image/heic"), ("webp", "image/webp"), ("svg", "image/svg+xml"), ("xml", "application/xml"),
            ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            ("js", "text/javascript"), ("css", "text/css"), ("woff2", "font/woff2"), ("wasm", "application/wasm"),
        ]
    )
    func known(pathExtension: String, type: String) {
        #expect(MIMEType.forExtension(pathExtension) == type)
    }

    @Test("Case and a leading dot make no difference")
    func spelling() {
        #expect(MIMEType.forExtension(".PNG") == "image/png")
        #expect(MIMEType.forExtension("Cer") == "application/x-x509-ca-cert")
    }

    @Test("Unknown extensions are application/octet-stream", arguments: ["", ".", "xyzzy", "..png", "a b"])
    func unknown(pathExtension: String) {
        #expect(MIMEType.forExtension(pathExtension) == "application/octet-stream")
    }

    @Test("The table has at least 150 types, each well formed")
    func table() {
        #expect(MIMEType.table.count >= 150)
        for (pathExtension, type) in MIMEType.table {
            let halves = type.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            #expect(halves.count == 2 && halves.allSatisfy(HeaderRule.isToken), "\(pathExtension)")
            #expect(pathExtension == pathExtension.lowercased())
        }
    }
}
