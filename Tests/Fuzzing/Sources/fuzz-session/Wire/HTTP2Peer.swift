import FerrySession
import FuzzSupport

/// The server `http2-peer.py`, in Python because HTTP/2 needs TLS.
struct HTTP2Peer {
    let url: URL
    private let input = Pipe()
    private let output = Pipe()
    private let process = Process()

    init() {
        let script = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("http2-peer.py")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script.path]
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { fail("python3 does not start: \(error)") }
        let port = Self.line(output)
        guard Int(port) != nil, let url = URL(string: "https://127.0.0.1:\(port)/") else { fail("no port: \(port)") }
        self.url = url
    }

    func set(start: [UInt8], answer: [UInt8], closes: Bool) {
        let line = "\(Self.hexadecimal(start)):\(Self.hexadecimal(answer)):\(closes ? 1 : 0)\n"
        input.fileHandleForWriting.write(Data(line.utf8))
        expect(Self.line(output) == "ok", "the server has ended")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads the next line; the server writes one at a time.
    private static func line(_ pipe: Pipe) -> String {
        var text = ""
        while !text.hasSuffix("\n") {
            let data = pipe.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            text += String(decoding: data, as: UTF8.self)
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
