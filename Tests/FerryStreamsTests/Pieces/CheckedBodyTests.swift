import FerryTesting
import TestSupport
import Testing

@testable import FerryStreams

@Suite("Bodies with a limit and a digest")
struct CheckedBodyTests {
    private let abc = ContentDigest("sha-256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")

    @Test("A body of at most the limit passes, and a longer one fails before the piece that exceeds it")
    func limit() async throws {
        for size in [1, 2, .max] {
            let whole = try await outcome(Pieces("abc", size: size).checked(maximumLength: 3))
            #expect(whole.0.reduce(Data(), +) == Data("abc".utf8) && whole.1 == nil)
        }
        let (pieces, code) = try await outcome(Pieces("abc", size: 1).checked(maximumLength: 2))
        #expect(pieces == [Data("a".utf8), Data("b".utf8)])
        #expect(code == .dataLengthExceedsMaximum)
        #expect(try await outcome(Pieces("").checked(maximumLength: 0)).1 == nil)
        #expect(try await outcome(Pieces("a").checked(maximumLength: -1)).1 == .dataLengthExceedsMaximum)
    }

    @Test("A body with the digest passes, and another one fails once at its end")
    func digest() async throws {
        let digest = try #require(abc)
        #expect(try await Pieces("abc", size: 2).checked(digest: digest).collected().count == 2)
        var iterator = Pieces("abd", size: 2).checked(digest: digest).makeAsyncIterator()
        #expect(try await iterator.next() == Data("ab".utf8))
        #expect(try await iterator.next() == Data("d".utf8))
        let error = await #expect(throws: BodyDigestError.self) { try await iterator.next() }
        #expect(error?.expected == digest)
        #expect(error?.actual.hexadecimal.hasPrefix("a52d159f") == true)
        #expect(try await iterator.next() == nil)
    }

    @Test("Any sequence of elements can be put on a checked body")
    func elements() async throws {
        let checked = Pieces("1\n2\n3\n", size: 1).checked(maximumLength: 4)
        let (values, code) = try await outcome(checked.jsonLines(as: Int.self))
        #expect(values == [1, 2])
        #expect(code == .dataLengthExceedsMaximum)
        #expect(try await BodyLines(Pieces("a\nb").checked(maximumLength: 3)).collected() == ["a", "b"])
    }

    @Test("The limit ends a transfer that would go on")
    func transfer() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nabcdef")
            connection.readAll()
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let (bytes, _) = try await CurlSession(configuration: .ephemeral).bytes(from: url)
        #expect(try await outcome(bytes.chunks.checked(maximumLength: 5)).1 == .dataLengthExceedsMaximum)
    }
}
