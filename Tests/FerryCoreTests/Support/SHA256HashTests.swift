import FerryCore
import Foundation
import Testing

struct SHA256HashTests {
    @Test(
        "The digests match published vectors",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                    + "nopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ]
    ) func vectors(text: String, digest: String) {
        #expect(SHA256Hash.hash(Data(text.utf8)).hexadecimal == digest)
    }

    @Test("A million letters a hash to the published digest") func million() {
        let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(SHA256Hash.hash(Data(repeating: 97, count: 1_000_000)).hexadecimal == digest)
    }

    @Test("Pieces of any size hash like the whole") func pieces() {
        let data = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let whole = SHA256Hash.hash(data).hexadecimal
        for size in [1, 3, 55, 56, 63, 64, 65, 127, 128, 129, 999] {
            var hash = SHA256Hash()
            for start in stride(from: 0, to: data.count, by: size) { hash.update(data.dropFirst(start).prefix(size)) }
            #expect(hash.digest.hexadecimal == whole)
        }
    }

    @Test("A digest can be taken before the end") func between() {
        var hash = SHA256Hash()
        hash.update(Data("ab".utf8))
        let before = hash.digest.hexadecimal
        #expect(before == SHA256Hash.hash(Data("ab".utf8)).hexadecimal)
        hash.update(Data("c".utf8))
        #expect(hash.digest.hexadecimal == SHA256Hash.hash(Data("abc".utf8)).hexadecimal)
        #expect(hash.digest.count == 32)
        #expect(hash.digest.first == 0xba)
    }
}
