import Testing

@testable import FerryCore

struct ContentDigestTests {
    private static let abc512 =
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

    @Test("Hashes are those of FIPS 180-4, in whatever pieces the bytes come")
    func hashes() {
        var short = DigestHash(.sha512)
        Array("abc".utf8).withUnsafeBytes { short.update($0) }
        #expect(short.bytes.hexadecimal == Self.abc512)
        // NIST's example of two blocks.
        let text =
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
            + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
        for size in [1, 3, 64, 111, 112, 200] {
            var hash = DigestHash(.sha512)
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                Array(rest.prefix(size)).withUnsafeBytes { hash.update($0) }
                rest = rest.dropFirst(size)
            }
            #expect(hash.bytes.hexadecimal.hasPrefix("8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa1"))
        }
        #expect(DigestHash(.sha512).bytes.hexadecimal.hasPrefix("cf83e1357eefb8bdf1542850d66d8007"))
    }

    @Test("The digest of bytes, of a part of them, and of none")
    func ofData() {
        #expect(ContentDigest(.sha512, of: Data("abc".utf8)).hexadecimal == Self.abc512)
        #expect(ContentDigest(.sha512, of: Data("xabc".utf8).dropFirst()).hexadecimal == Self.abc512)
        #expect(ContentDigest(.sha256, of: Data()).description.hasPrefix("sha-256=e3b0c44298fc1c149afbf4c8996fb924"))
    }

    @Test("A digest is read from hexadecimal digits of exactly its length")
    func hexadecimal() throws {
        let digest = try #require(ContentDigest("SHA-512=" + Self.abc512.uppercased()))
        #expect(digest.description == "sha-512=" + Self.abc512)
        for text in ["", "sha-512", "sha-512=", "sha-256=" + Self.abc512, "md5=" + Self.abc512] {
            #expect(ContentDigest(text) == nil)
        }
        #expect(try ContentDigest(.sha512, hexadecimal: "\n \(Self.abc512)\r\n") == digest)
        let abc = Self.abc512
        for text in [abc.dropLast() + "g", "sha512:" + abc, abc + "  file", abc + "0", ""] {
            let error = #expect(throws: ContentDigest.FormatError.self) {
                try ContentDigest(.sha512, hexadecimal: String(text))
            }
            let message = "is not the 128 hexadecimal digits of a sha-512 digest"
            #expect(error?.localizedDescription.contains(message) == true)
        }
    }

    @Test("The strongest digest of a field counts, and a malformed one makes the field invalid")
    func fields() {
        let sha256 = Data(repeating: 1, count: 32).base64EncodedString()
        let sha512 = Data(repeating: 2, count: 64).base64EncodedString()
        func read(_ field: String) -> ContentDigest.Algorithm? { ContentDigest.strongest(inField: field)?.algorithm }
        #expect(read("sha-256=:\(sha256):") == .sha256)
        #expect(read("sha-256=:\(sha256):, sha-512=:\(sha512):") == .sha512)
        #expect(read("unixsum=:AAA=:, sha-256=:\(sha256):;x=1") == .sha256)
        // The padding may be missing (RFC 9651, section 4.2.7).
        #expect(read("sha-256=:\(sha256.dropLast()):") == .sha256)
        #expect(read("SHA-256=:\(sha256):") == nil)
        #expect(read("sha-256=:\(sha512):") == nil)
        #expect(read("sha-256=\(sha256)") == nil)
        #expect(read("sha-256=:\(sha256):, sha-512=:!:") == nil)
        #expect(read("sha-256=:") == nil)
        #expect(read(String(repeating: "a=:b:,", count: 10_000)) == nil)
        func list(_ field: String) -> ContentDigest.Algorithm? {
            ContentDigest.strongest(inField: field, isList: true)?.algorithm
        }
        #expect(list("MD5=x,SHA-256=\(sha256)") == .sha256)
        #expect(list("sha-512=\(sha512), sha-256=\(sha256)") == .sha512)
        #expect(list("SHA-256=:\(sha256):") == nil)
    }
}
