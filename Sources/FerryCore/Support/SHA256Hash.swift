/// The SHA-256 hash (FIPS 180-4), of 32 bytes.
package typealias SHA256Hash = BlockHash<SHA256State>

/// The eight words of a SHA-256 hash and the function that mixes a block into them.
///
/// It uses local variables and unrolls sixteen rounds per iteration, which makes it fast even in unoptimised builds.
package struct SHA256State: BlockHashState {
    package static let blockSize = 64
    private var h0: UInt32 = 0x6a09_e667
    private var h1: UInt32 = 0xbb67_ae85
    private var h2: UInt32 = 0x3c6e_f372
    private var h3: UInt32 = 0xa54f_f53a
    private var h4: UInt32 = 0x510e_527f
    private var h5: UInt32 = 0x9b05_688c
    private var h6: UInt32 = 0x1f83_d9ab
    private var h7: UInt32 = 0x5be0_cd19

    package init() {}

    package mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard let start = blocks.baseAddress else { return }
        Self.constants.withUnsafeBufferPointer { constants in
            guard let table = constants.baseAddress else { return }
            for block in 0..<blocks.count / 64 { compress(start + block * 64, table) }
        }
    }

    private mutating func compress(_ block: UnsafeRawPointer, _ table: UnsafePointer<UInt32>) {
        var (a, b, c, d) = (h0, h1, h2, h3)
        var (e, f, g, h) = (h4, h5, h6, h7)
        var (w0, w1, w2, w3) = (Self.word(block, 0), Self.word(block, 1), Self.word(block, 2), Self.word(block, 3))
        var (w4, w5, w6, w7) = (Self.word(block, 4), Self.word(block, 5), Self.word(block, 6), Self.word(block, 7))
        var (w8, w9, w10, w11) = (Self.word(block, 8), Self.word(block, 9), Self.word(block, 10), Self.word(block, 11))
        var (w12, w13, w14, w15) = (
            Self.word(block, 12), Self.word(block, 13), Self.word(block, 14), Self.word(block, 15)
        )
        var k = table
        for turn in 0..<4 {
            if turn > 0 {
                w0 = w0 &+ Self.sigma0(w1) &+ w9 &+ Self.sigma1(w14)
                w1 = w1 &+ Self.sigma0(w2) &+ w10 &+ Self.sigma1(w15)
                w2 = w2 &+ Self.sigma0(w3) &+ w11 &+ Self.sigma1(w0)
                w3 = w3 &+ Self.sigma0(w4) &+ w12 &+ Self.sigma1(w1)
                w4 = w4 &+ Self.sigma0(w5) &+ w13 &+ Self.sigma1(w2)
                w5 = w5 &+ Self.sigma0(w6) &+ w14 &+ Self.sigma1(w3)
                w6 = w6 &+ Self.sigma0(w7) &+ w15 &+ Self.sigma1(w4)
                w7 = w7 &+ Self.sigma0(w8) &+ w0 &+ Self.sigma1(w5)
                w8 = w8 &+ Self.sigma0(w9) &+ w1 &+ Self.sigma1(w6)
                w9 = w9 &+ Self.sigma0(w10) &+ w2 &+ Self.sigma1(w7)
                w10 = w10 &+ Self.sigma0(w11) &+ w3 &+ Self.sigma1(w8)
                w11 = w11 &+ Self.sigma0(w12) &+ w4 &+ Self.sigma1(w9)
                w12 = w12 &+ Self.sigma0(w13) &+ w5 &+ Self.sigma1(w10)
                w13 = w13 &+ Self.sigma0(w14) &+ w6 &+ Self.sigma1(w11)
                w14 = w14 &+ Self.sigma0(w15) &+ w7 &+ Self.sigma1(w12)
                w15 = w15 &+ Self.sigma0(w0) &+ w8 &+ Self.sigma1(w13)
            }
            Self.round(a, b, c, &d, e, f, g, &h, k[0] &+ w0)
            Self.round(h, a, b, &c, d, e, f, &g, k[1] &+ w1)
            Self.round(g, h, a, &b, c, d, e, &f, k[2] &+ w2)
            Self.round(f, g, h, &a, b, c, d, &e, k[3] &+ w3)
            Self.round(e, f, g, &h, a, b, c, &d, k[4] &+ w4)
            Self.round(d, e, f, &g, h, a, b, &c, k[5] &+ w5)
            Self.round(c, d, e, &f, g, h, a, &b, k[6] &+ w6)
            Self.round(b, c, d, &e, f, g, h, &a, k[7] &+ w7)
            Self.round(a, b, c, &d, e, f, g, &h, k[8] &+ w8)
            Self.round(h, a, b, &c, d, e, f, &g, k[9] &+ w9)
            Self.round(g, h, a, &b, c, d, e, &f, k[10] &+ w10)
            Self.round(f, g, h, &a, b, c, d, &e, k[11] &+ w11)
            Self.round(e, f, g, &h, a, b, c, &d, k[12] &+ w12)
            Self.round(d, e, f, &g, h, a, b, &c, k[13] &+ w13)
            Self.round(c, d, e, &f, g, h, a, &b, k[14] &+ w14)
            Self.round(b, c, d, &e, f, g, h, &a, k[15] &+ w15)
            k += 16
        }
        h0 = h0 &+ a
        h1 = h1 &+ b
        h2 = h2 &+ c
        h3 = h3 &+ d
        h4 = h4 &+ e
        h5 = h5 &+ f
        h6 = h6 &+ g
        h7 = h7 &+ h
    }

    package var bytes: [UInt8] {
        [h0, h1, h2, h3, h4, h5, h6, h7].flatMap { word in withUnsafeBytes(of: word.bigEndian, Array.init) }
    }

    @inline(__always)
    private static func round(
        _ a: UInt32,
        _ b: UInt32,
        _ c: UInt32,
        _ d: inout UInt32,
        _ e: UInt32,
        _ f: UInt32,
        _ g: UInt32,
        _ h: inout UInt32,
        _ input: UInt32
    ) {
        let sum1 = ((e &>> 6) | (e &<< 26)) ^ ((e &>> 11) | (e &<< 21)) ^ ((e &>> 25) | (e &<< 7))
        let choice = g ^ (e & (f ^ g))
        let mixed = h &+ sum1 &+ choice &+ input
        let sum0 = ((a &>> 2) | (a &<< 30)) ^ ((a &>> 13) | (a &<< 19)) ^ ((a &>> 22) | (a &<< 10))
        let majority = (a & b) | (c & (a | b))
        d = d &+ mixed
        h = mixed &+ sum0 &+ majority
    }

    @inline(__always)
    private static func sigma0(_ x: UInt32) -> UInt32 {
        ((x &>> 7) | (x &<< 25)) ^ ((x &>> 18) | (x &<< 14)) ^ (x &>> 3)
    }

    @inline(__always)
    private static func sigma1(_ x: UInt32) -> UInt32 {
        ((x &>> 17) | (x &<< 15)) ^ ((x &>> 19) | (x &<< 13)) ^ (x &>> 10)
    }

    @inline(__always)
    private static func word(_ block: UnsafeRawPointer, _ index: Int) -> UInt32 {
        UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
    }

    /// The constants: the first halves of the constants of SHA-512 (FIPS 180-4, section 4.2).
    private static let constants = SHA512State.constants.prefix(64).map { UInt32($0 >> 32) }
}
