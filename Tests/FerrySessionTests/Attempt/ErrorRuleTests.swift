import Foundation
import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite struct ErrorRuleTests {
    /// The numbers are those of libcurl's `CURLcode`.
    @Test(
        "libcurl's codes are mapped to URLSession's",
        arguments: [
            (1, -1017), (3, -1000), (4, -1002), (5, -1003), (6, -1003), (7, -1004), (8, -1017), (16, -1005),
            (18, -1005),
            (28, -1001), (35, -1200), (47, -1007), (52, -1005), (53, -1200), (54, -1200), (55, -1005), (56, -1005),
            (58, -1200), (59, -1200), (61, -1017), (63, -1103), (65, -1021), (66, -1200), (77, -1200), (80, -1200),
            (82, -1200), (92, -1005), (95, -1005), (97, -1004), (100, -1103), (27, -1103), (99, -1), (0, -1), (-5, -1),
        ] as [(Int32, Int)]
    )
    func codes(_ row: (Int32, Int)) {
        #expect(ErrorRule.code(for: row.0).rawValue == row.1, "CURLE \(row.0)")
    }

    @Test("An invalid chunk and a head that is too large have specific codes") func chunks() {
        let texts = [
            "Illegal or missing hexadecimal sequence in chunked-encoding", "chunk hex-length longer than 16",
            "chunk hex-length char not a hex digit: 0x78", "invalid chunk size: 'xyz'",
        ]
        for text in texts {
            #expect(ErrorRule.code(for: 56, verdict: ErrorRule.Verdict(text: text)) == .cannotParseResponse)
        }
        let large = ErrorRule.Verdict(text: "Too large response headers: 307201 > 307200")
        #expect(ErrorRule.code(for: 56, verdict: large) == .dataLengthExceedsMaximum)
    }

    /// The verdicts are OpenSSL's `X509_V_ERR_…`.
    @Test(
        "The reasons for untrusted certificates are distinguished",
        arguments: [
            (10, -1201), (9, -1204), (18, -1203), (19, -1203), (20, -1203), (21, -1203), (2, -1203), (0, -1202),
            (62, -1202),
        ]
    )
    func certificates(_ row: (Int, Int)) {
        let verdict = ErrorRule.Verdict(verifyResult: row.0, text: "")
        #expect(ErrorRule.code(for: 60, verdict: verdict).rawValue == row.1)
    }
}
