import FerryCore
import Testing

@Suite("JSON redaction")
struct JSONRedactorTests {
    @Test(
        "The values of secret members are replaced, and everything else is unchanged",
        arguments: [
            (#"{"password":"x","a":1}"#, #"{"password":"<redacted>","a":1}"#),
            (#"{ "a" : { "apiKey" : "x\"y" } }"#, #"{ "a" : { "apiKey" : "<redacted>" } }"#),
            (#"[{"token":12345},{"token":null}]"#, #"[{"token":"<redacted>"},{"token":"<redacted>"}]"#),
            (#"{"secret":{"a":["}",{"b":"]"}]},"c":2}"#, #"{"secret":"<redacted>","c":2}"#),
            (#"{"secret":[[1],"]"] , "c":2}"#, #"{"secret":"<redacted>" , "c":2}"#),
            (#"{"pass\u0077ord":"x"}"#, #"{"pass\u0077ord":"<redacted>"}"#),
            (#"{"a":"password","b":"\"password\":\"y\""}"#, #"{"a":"password","b":"\"password\":\"y\""}"#),
            (#"["password","x"]"#, #"["password","x"]"#),
            (#"{"password":"unfinished"#, #"{"password":"<redacted>""#),
            (#"{"password":"unfinished\"#, #"{"password":"<redacted>""#),
            (#"{"password":{"deep":["#, #"{"password":"<redacted>""#),
            (#"{"password"#, #"{"password"#),
            (#"{"password":"#, #"{"password":"#),
            ("", ""), ("\"", "\""), ("\\", "\\"),
        ]
    )
    func members(_ text: String, _ expected: String) {
        #expect(JSONRedactor.redact(text) { SecretName.isSecret($0) } == expected)
    }

    @Test("Deep and long texts take linear time", arguments: ["[", "{\"token\":", "\"", "\"token\":[", "\\"])
    func long(_ part: String) {
        let start = ContinuousClock.now
        _ = JSONRedactor.redact(String(repeating: part, count: 100_000)) { SecretName.isSecret($0) }
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
