import FerryCore
import Testing

/// The field `Alt-Svc` (RFC 7838, section 3).
@Suite struct AlternativeServicesTests {
    struct Row: CustomTestStringConvertible, Sendable {
        var value: String
        /// The services, as `protocol host port age`; nil if the field is ignored.
        var services: [String]?
        var testDescription: String { value }

        init(_ value: String, _ services: [String]?) { (self.value, self.services) = (value, services) }
    }

    static let rows = [
        // The examples of the RFC.
        Row(#"h2=":8000""#, ["h2  8000 86400"]),
        Row(#"h2="new.example.org:80""#, ["h2 new.example.org 80 86400"]),
        Row(#"w%3Dx%3Ay#z=":443""#, ["w%3Dx%3Ay#z  443 86400"]),
        Row(#"h2="alt.example.com:8000", h2=":443""#, ["h2 alt.example.com 8000 86400", "h2  443 86400"]),
        Row(#"h2=":443"; ma=3600"#, ["h2  443 3600"]),
        Row(#"h2=":443"; ma=2592000; persist=1"#, ["h2  443 2592000"]),
        Row("clear", []),
        // Fields of real servers.
        Row(#"h3=":443"; ma=86400, h3-29=":443"; ma=86400"#, ["h3  443 86400", "h3-29  443 86400"]),
        Row(#"h3=":443";ma=60"#, ["h3  443 60"]), Row(#" h3=":443" ; MA="60" "#, ["h3  443 60"]),
        Row(#", h3=":443",, "#, ["h3  443 86400"]), Row(#"h3="[::1]:443""#, ["h3 [::1] 443 86400"]),
        Row(#"h3="\\:443""#, [#"h3 \ 443 86400"#]),
        Row(#"h3="\a:443""#, ["h3 a 443 86400"]), Row(#"h3=":443"; other="a;b,c""#, ["h3  443 86400"]),
        Row(#"h3=":443"; ma=99999999999999999999"#, ["h3  443 2147483648"]),
        // Invalid fields.
        Row("", nil), Row(",", nil), Row("Clear", nil), Row(#"clear, h3=":443""#, nil), Row("h3=:443", nil),
        Row(#"h3=":443"#, nil), Row(#"h3="""#, nil), Row(#"h3=":""#, nil), Row(#"h3=":0""#, nil),
        Row(#"h3=":65536""#, nil), Row(#"h3=":-1""#, nil), Row(#"h3=":+443""#, nil),
        Row(#"h3=":99999999999999999999""#, nil),
        Row(#"="":443""#, nil), Row(#"h 3=":443""#, nil), Row(#"h3 ":443""#, nil), Row(#"h3=":443" h2=":443""#, nil),
        Row(#"h3=":443"; ma"#, nil), Row(#"h3=":443"; ma="#, nil), Row(#"h3=":443"; ma=-1"#, nil),
        Row(#"h3=":443"; ma=1.5"#, nil), Row(#"h3=":443";"#, nil),
        Row(#"h3=":443""# + String(repeating: " ", count: 9_000), nil),
    ]

    @Test("Values are read as the grammar says, and otherwise ignored", arguments: rows)
    func values(_ row: Row) {
        let services = AlternativeServices(row.value)?.services
        #expect(services?.map { "\($0.protocolID) \($0.host) \($0.port) \($0.maximumAge)" } == row.services)
    }

    @Test("Any bytes are read in bounded time")
    func random() {
        var generator = SystemRandomNumberGenerator()
        let pieces = ["h3", "=", "\"", ":", "443", ";", ",", "ma", " ", "\\", "é", "clear", "\u{0}"]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for service in AlternativeServices(text)?.services ?? [] {
                #expect((1...65_535).contains(service.port) && service.maximumAge >= 0)
            }
        }
    }
}
