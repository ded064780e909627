import FerrySession
import Testing

@Suite("File names that responses suggest", .timeLimit(.minutes(2))) struct SuggestedNameTests {
    /// tc2231 (attwithisofnplain, attwithutf8fnplain) expects Latin-1 alone; servers send UTF-8.
    @Test("A name beyond ASCII is UTF-8 if it is valid, and Latin-1 otherwise", arguments: [[0xC3, 0xA4], [0xE4]])
    func rawName(_ letter: [UInt8]) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
            connection.write("Content-Disposition: attachment; filename=\"foo-")
            connection.write(Data(letter))
            connection.write(".html\"\r\n\r\n")
        }
        let (_, response) = try await makeSession().data(from: server.url())
        #expect(FileName.suggested(by: response) == "foo-ä.html")
    }
}
