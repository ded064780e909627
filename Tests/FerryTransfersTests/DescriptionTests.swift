import Testing

@testable import FerryTransfers

@Suite struct DescriptionTests {
    @Test("The descriptions of transfers have no secrets") func descriptions() throws {
        let url = try #require(URL(string: "https://ada:planted@host.example/file?access_token=planted"))
        let file = URL(fileURLWithPath: "/tmp/file")
        var upload = FileUpload(file, to: url)
        upload.location = FileUpload.Location(url: url, resumption: .tus)
        let transfer = QueuedTransfer(
            id: 1,
            kind: .upload,
            url: url,
            file: file,
            state: .waiting,
            priority: 0,
            progress: TransferProgress()
        )
        for value in [VerifiedDownload(url, to: file), upload, upload.location as Any, transfer] as [Any] {
            var text = "\(value) \(String(reflecting: value)) "
            dump(value, to: &text)
            #expect(!text.contains("planted"))
        }
        #expect(
            "\(VerifiedDownload(url, to: file))" == "https://host.example/file?access_token=<redacted> to /tmp/file"
        )
        #expect("\(transfer)" == "1: upload https://host.example/file?access_token=<redacted>, waiting")
    }
}
