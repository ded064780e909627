import Ferry
import TestSupport
import Testing

extension PythonTests {
    /// The measurement runs in a separate process, so that other tests do not count.
    @Suite("Memory use of uploads", .slow, .ownThreads)
    struct MultipartMemoryTests {
        @Test("A form with a file of two gibibytes is sent in less than 64 MiB")
        func multipart() async throws {
            let url = try PythonServer.shared().url
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).bin")
            // The file is sparse: it has a size, but no blocks on the disk.
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
            defer { try? FileManager.default.removeItem(at: file) }
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 2 << 30)
            try handle.close()
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [url = url as URL, file = file as URL] in
                struct Seen: Decodable, Sendable {
                    var length: Int
                    var first: String
                    var last: String
                }
                let manager = HTTPSessionManager(baseURL: url, configuration: .ephemeral)
                let growth = try await ProcessUsage.growth {
                    let seen = try await manager.upload("count", parameters: ["a": "b"], as: Seen.self) { form in
                        try form.append(fileURL: file, name: "file")
                    }
                    #expect(seen.length > 2 << 30 && seen.length < 2 << 30 + 1000)
                    #expect(seen.first.contains("name=\"a\"\r\n\r\nb\r\n--"))
                    #expect(seen.last.contains("\0\r\n--") && seen.last.hasSuffix("--\r\n"))
                }
                Report.say(growth)
            }
            let measured = try Report.number(result)
            #expect(measured < 64 << 20)
        }
    }
}
