import Testing

@testable import FerryCurl

/// The lines of libcurl about streams of HTTP/2.
@Suite struct StreamNoteTests {
    @Test(
        "The lines of all versions are read, and others say nothing",
        arguments: [
            ("recveived GOAWAY, error=0, last_stream=19\n", .goAway(last: 19)),
            ("received GOAWAY, error=11, last_stream=2147483647\n", .goAway(last: 2_147_483_647)),
            ("Using Stream ID: 7 (easy handle 0x5581)\n", .opened(7)),
            ("[HTTP/2] [21] OPENED stream for https://localhost/\n", .opened(21)),
            ("REFUSED_STREAM, retrying a fresh connect\n", .refused), ("", nil), ("REFUSED", nil),
            ("Downgrades to HTTP/1.1\n", .requiresHTTP1), ("Downgrades to HTTP/1.0\n", nil),
            ("received GOAWAY, error=0, last_stream=-1\n", nil), ("received GOAWAY, error=0\n", nil),
            ("received GOAWAY, error=0, last_stream=4294967296\n", nil),
            ("[HTTP/2] [1] [:path: /] OPENED stream\n", nil), ("[HTTP/2] [] OPENED stream for x\n", nil),
            ("[HTTP/2] [1] OPENED stream for https://localhost/received GOAWAY, last_stream=0\n", .opened(1)),
            (" received GOAWAY, error=0, last_stream=1\n", nil), ("Using Stream ID: 1f (easy handle 0x5581)\n", nil),
            ("recveived GOAWAY, " + String(repeating: " ", count: 100) + "last_stream=1\n", nil),
        ] as [(String, StreamNote?)]
    )
    func lines(_ text: String, _ note: StreamNote?) {
        #expect(Array(text.utf8).withUnsafeBytes { StreamNote($0) } == note)
    }

    @Test("Bytes that are not text say nothing") func bytes() {
        for bytes in [[UInt8](repeating: 0xFF, count: 50), Array("received GOAWAY, ".utf8) + [0, 0xC3]] {
            #expect(bytes.withUnsafeBytes { StreamNote($0) } == nil)
        }
    }
}
