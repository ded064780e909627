import Testing

@testable import FerryCore

struct StrictTransportSecurityTests {
    @Test(
        "The examples of RFC 6797, section 6.2, and other valid values are read",
        arguments: [
            ("max-age=31536000", 31_536_000, false),
            ("max-age=15768000 ; includeSubDomains", 15_768_000, true),
            ("max-age=\"31536000\"", 31_536_000, false),
            ("max-age=0", 0, false),
            ("max-age=0; includeSubDomains", 0, true),
            ("MAX-AGE=1; INCLUDESUBDOMAINS; preload", 1, true),
            ("; max-age=1;; other=\"x\";", 1, false),
            ("\tmax-age = 7 ", 7, false),
            (#"max-age=1; other="a;b\";c"; includeSubDomains"#, 1, true),
            ("max-age=99999999999999999999", 2_147_483_648, false),
        ] as [(String, Int64, Bool)]
    )
    func valid(_ value: String, _ age: Int64, _ includesSubdomains: Bool) {
        let rule = StrictTransportSecurity(value)
        #expect(rule?.maximumAge == age)
        #expect(rule?.includesSubdomains == includesSubdomains)
    }

    @Test(
        "A value that does not conform is ignored as a whole",
        arguments: [
            "", "includeSubDomains", "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=x",
            "max-age=1; max-age=1", "max-age=1; includeSubDomains=yes",
            "a b; max-age=1",
            "max-age=\"1", "max-age=1, max-age=2",
        ]
    )
    func invalid(_ value: String) {
        #expect(StrictTransportSecurity(value) == nil)
    }

    @Test("A long value takes no long time")
    func long() {
        #expect(StrictTransportSecurity(String(repeating: "x;", count: 1_000_000) + "max-age=1") == nil)
        #expect(StrictTransportSecurity("max-age=1;" + String(repeating: " ", count: 4_086)) != nil)
        #expect(StrictTransportSecurity("max-age=1;" + String(repeating: " ", count: 4_087)) == nil)
    }
}
