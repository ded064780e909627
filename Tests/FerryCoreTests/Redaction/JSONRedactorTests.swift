import FerryCore
import Testing

@Suite("JSON redaction")
struct JSONRedactorTests {
    @Test(
        "Strings and numbers of secret members are replaced, and everything else is unchanged",
        arguments: [
            (#"{"password":"x","a":1}"#, #"{"password":"<redacted>","a":1}"#),
            (#"{ "a" : { "apiKey" : "x\"y" } }"#, #"{ "a" : { "apiKey" : "<redacted>" } }"#),
            (#"[{"token":12345},{"token":null}]"#, #"[{"token":0},{"token":null}]"#),
            (#"{"secret":{"a":["}",{"b":"]"}]},"c":2}"#, #"{"secret":{"a":["<redacted>",{"b":"<redacted>"}]},"c":2}"#),
            (#"{"secret":[[-1.5e3],"]"] , "c":2}"#, #"{"secret":[[0],"<redacted>"] , "c":2}"#),
            (#"{"passwordRequired":true,"token_type":"x"}"#, #"{"passwordRequired":true,"token_type":"x"}"#),
            (#"{"total_tokens" : 42,"tokens":[1,2]}"#, #"{"total_tokens" : 42,"tokens":[1,2]}"#),
            (#"{"tokens":{"x_tokens":1,"pin":2}}"#, #"{"tokens":{"x_tokens":1,"pin":0}}"#),
            (#"{"tokens":1-2}"#, #"{"tokens":"<redacted>"}"#),
            (#"{"tokens":["1",{"pin":2},3]}"#, #"{"tokens":["<redacted>",{"pin":0},0]}"#),
            (#"{"pass\u0077ord":"x"}"#, #"{"pass\u0077ord":"<redacted>"}"#),
            (#"{"a":"password","b":"\"password\":\"y\""}"#, #"{"a":"password","b":"\"password\":\"y\""}"#),
            (#"["password","x"]"#, #"["password","x"]"#),
            (#"{"password":"unfinished"#, #"{"password":"<redacted>""#),
            (#"{"password":"unfinished\"#, #"{"password":"<redacted>""#),
            (#"{"password":{"deep":["#, #"{"password":{"deep":["#),
            (#"{"secret":{"a":[tru"#, #"{"secret":{"a":["<redacted>""#),
            (#"{"secret":{"unfinished"#, #"{"secret":{"<redacted>""#),
            (#"{"secret":["x":1}, "y"],"z":2"#, #"{"secret":["<redacted>":0}, "<redacted>"],"z":2"#),
            (#"{"secret":{"a":"x":"y"},"z":2}"#, #"{"secret":{"a":"<redacted>":"<redacted>"},"z":2}"#),
            (#"{"password":not quoted , "a":1}"#, #"{"password":"<redacted>" , "a":1}"#),
            (#"{"password":'a, b',"tokens":0x1F}"#, #"{"password":"<redacted>","tokens":"<redacted>"}"#),
            (#"{"password":"a"b"}"#, #"{"password":"<redacted>""<redacted>""<redacted>""#),
            (#"{"password"#, #"{"password"#),
            (#"{"password":"#, #"{"password":"#),
            ("", ""), ("\"", "\""), ("\\", "\\"),
        ]
    )
    func members(_ text: String, _ expected: String) {
        #expect(JSONRedactor.redact(text) { SecretName.isSecret($0) } == expected)
    }

    @Test(
        "Deep and long texts take linear time",
        arguments: ["[", "{\"token\":", "\"", "\"token\":[", "\"token\" ", "{\"tokens\":1 ", "\\"]
    )
    func long(_ part: String) {
        let start = ContinuousClock.now
        _ = JSONRedactor.redact(String(repeating: part, count: 100_000)) { SecretName.isSecret($0) }
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
