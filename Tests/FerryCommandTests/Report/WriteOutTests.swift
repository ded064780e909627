import Foundation
import Testing

@testable import FerryCommand

@Suite("--write-out")
struct WriteOutTests {
    /// A redirect from one host to another that ends with a lost connection.
    private var report: TransferReport {
        var report = TransferReport(index: 2, url: "https://a/1", method: "POST", file: "out \"1\"")
        report.contentType = "text/plain"
        report.redirectCount = 1
        report.requests = [
            RequestTiming(
                transfer: 2,
                url: "https://a/1",
                method: "POST",
                status: 303,
                protocolName: "h2",
                bytesSent: 7,
                headerBytes: 100,
                wanted: 1,
                start: 1.5,
                nameLookup: 0.1,
                connect: 0.2,
                secureConnect: 0.3,
                requestStart: 0.3,
                responseStart: 0.5,
                end: 0.5
            ),
            RequestTiming(
                transfer: 2,
                url: "https://b/2",
                status: 200,
                protocolName: "http/1.1",
                remoteAddress: "192.0.2.1",
                remotePort: 443,
                bytesReceived: 600,
                headerBytes: 50,
                wanted: 2,
                start: 2,
                nameLookup: 0.01,
                connect: 0.02,
                requestStart: 0.03,
                responseStart: 0.4,
                end: 1
            ),
        ]
        report.failure = CommandFailure(.network, "https://a/1: lost")
        return report
    }

    @Test(
        "Variables have curl's values: phases are summed over redirects, and sizes are those of the last request",
        arguments: [
            ("http_code", "200"), ("response_code", "200"), ("url", "https://a/1"), ("url_effective", "https://b/2"),
            ("urlnum", "2"), ("method", "GET"), ("scheme", "https"), ("http_version", "1.1"),
            ("content_type", "text/plain"), ("filename_effective", "out \"1\""), ("num_redirects", "1"),
            ("num_requests", "2"), ("num_connects", "2"), ("remote_ip", "192.0.2.1"), ("remote_port", "443"),
            ("size_download", "600"), ("size_upload", "0"), ("size_header", "150"), ("speed_download", "400"),
            ("speed_upload", "0"), ("time_queue", "0.500000"), ("time_namelookup", "0.110000"),
            ("time_connect", "0.220000"), ("time_appconnect", "0.300000"), ("time_pretransfer", "0.330000"),
            ("time_starttransfer", "0.900000"), ("time_redirect", "0.500000"), ("time_total", "1.500000"),
            ("exitcode", "7"), ("errormsg", "https://a/1: lost"),
        ]
    )
    func values(_ name: String, _ value: String) throws {
        #expect(try WriteOutFormat(parsing: "%{\(name)}").text(for: report) == value)
    }

    @Test("The status is that of the last response, also if the request after a redirect got none")
    func lastStatus() throws {
        var report = report
        report.requests[1].status = nil
        #expect(try WriteOutFormat(parsing: "%{http_code}").text(for: report) == "303")
    }

    @Test("What a server sends cannot control a terminal, and the name of a file is not changed")
    func controlCharacters() throws {
        var report = TransferReport(file: "a\u{9B}b")
        report.contentType = "text/\u{1B}[31m\u{9B}31m"
        report.failure = CommandFailure(.network, "http://a/: \u{85}\u{202E}ü")
        let format = try WriteOutFormat(parsing: "%{errormsg}\\n%{content_type}\\n%{filename_effective}")
        #expect(format.text(for: report) == "http://a/: ??ü\ntext/?[31m?31m\na\u{9B}b")
    }

    @Test("Without any transfer every variable still has a value, or is empty where that makes sense")
    func empty() throws {
        for variable in WriteOutVariable.allCases {
            let text = variable.value(in: TransferReport(url: "http://a")).plain
            switch variable {
            case .httpCode, .responseCode: #expect(text == "000")
            case .contentType, .fileName, .remoteAddress, .errorMessage: #expect(text.isEmpty)
            default: #expect(!text.isEmpty)
            }
        }
    }

    @Test(
        "Escapes are processed, and unknown ones stay unchanged",
        arguments: [
            (#"a\tb\n\r"#, "a\tb\n\r"), (#"\\n"#, #"\n"#), (#"\x\"#, #"\x\"#), ("100%", "100%"), ("%%{url}", "%{url}"),
            ("%url %d", "%url %d"), ("", ""), ("%{exitcode}%{exitcode}", "77"),
        ]
    )
    func escapes(_ format: String, _ expected: String) throws {
        #expect(try WriteOutFormat(parsing: format).text(for: report) == expected)
    }

    @Test(
        "An unknown variable is an error that names it",
        arguments: [
            ("%{nonsense}", "%{nonsense}"), ("%{http_cod}", "did you mean %{http_code}?"), ("%{}", "%{}"),
            ("%{url", "without a }"),
        ]
    )
    func unknown(_ format: String, _ text: String) {
        let error = #expect(throws: UsageError.self) { try WriteOutFormat(parsing: format) }
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }

    @Test("%{json} is an object of all variables")
    func json() throws {
        let text = try WriteOutFormat(parsing: "%{json}").text(for: report)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(object.keys) == Set(WriteOutVariable.allCases.map(\.rawValue)))
        #expect(object["http_code"] as? Int == 200)
        #expect(object["time_total"] as? Double == 1.5)
        #expect(object["filename_effective"] as? String == "out \"1\"")
    }

    @Test(
        "Seconds always have six decimals",
        arguments: [
            (0, "0.000000"), (0.000_000_6, "0.000001"), (61.5, "61.500000"), (-3, "0.000000"),
            (.infinity, "0.000000"), (.nan, "0.000000"), (1e300, "0.000000"),
        ] as [(Double, String)]
    )
    func decimals(_ seconds: Double, _ text: String) {
        #expect(JSONLine.Value.decimal(seconds) == text)
    }
}
