import FuzzSupport

@testable import FerrySession

/// Objects that live as long as the process: one session, and the servers it uses.
private enum Wire {
    /// libFuzzer runs its inputs on one thread.
    nonisolated(unsafe) static let client = WireClient()
    static let peer = WirePeer()
    static let http2 = HTTP2Peer()
    private static let isVerbose = ProcessInfo.processInfo.environment["FERRY_FUZZ_VERBOSE"] != nil

    /// Prints a case, since its bytes are not readable.
    private static func show(_ answers: [WireAnswer], _ kinds: [WireKind], _ areConcurrent: Bool) {
        print(areConcurrent ? "Concurrently:" : "One after another:")
        for (kind, answer) in zip(kinds, answers) {
            let text = String(decoding: answer.text.prefix(4_000), as: UTF8.self).debugDescription
            print("\(kind): \(text), pieces of \(answer.pieceSize), cut \(answer.cut ?? -1), then \(answer.end)")
        }
        fflush(nil)
    }

    static func run(_ answers: [WireAnswer], kinds: [WireKind], areConcurrent: Bool) {
        if isVerbose { show(answers, kinds, areConcurrent) }
        let urls = peer.begin(answers)
        let requests = zip(kinds, urls).map { kind, url in (kind: kind, request: URLRequest(url: url)) }
        client.run(requests, areConcurrent: areConcurrent)
        peer.end()
        client.checkHealth()
    }
}

/// Whole exchanges: heads, framings, codings and ends of every form, for tasks of every type.
let wire = FuzzTarget("wire") { input in
    let count = 1 + input.number(below: 4)
    let areConcurrent = input.bool()
    let kinds = (0..<count).map { _ in input.choice(WireKind.allCases) }
    let answers = (0..<count).map { _ in WireAnswer(&input) }
    Wire.run(answers, kinds: kinds, areConcurrent: areConcurrent)
}

/// Challenges that the input contains, with a credential for the first one.
let challenge = FuzzTarget("challenge") { input in
    let status = input.choice(["401", "401", "407"])
    let name = input.choice(["WWW-Authenticate", "WWW-Authenticate", "Proxy-Authenticate"])
    let kind = input.choice([WireKind.data, .upload, .uploadStream, .download, .async])
    let values = (0...input.number(below: 2)).map { _ in input.field().filter { !$0.isNewline } }
    let fields = values.map { "\(name): \($0)\r\n" }.joined()
    var answer = WireAnswer()
    answer.text = Array("HTTP/1.1 \(status) x\r\n\(fields)Content-Length: 4\r\n\r\nbody".utf8)
    Wire.run([answer], kinds: [kind], areConcurrent: false)
}

/// `Location` values that the input contains; most lead to the same server.
let redirect = FuzzTarget("redirect") { input in
    let count = 1 + input.number(below: 3)
    let kind = input.choice([WireKind.data, .upload, .uploadStream, .download, .async])
    let answers = (0..<count).map { _ in
        let status = input.choice(["301", "302", "303", "307", "308", "300", "304"])
        let start = input.choice(["", "@NEXT@", "@PATH@", "http://127.0.0.1", "//"])
        let location = input.field().filter { !$0.isNewline }
        var answer = WireAnswer()
        answer.text = Array("HTTP/1.1 \(status) x\r\nLocation: \(start)\(location)\r\nContent-Length: 0\r\n\r\n".utf8)
        return answer
    }
    Wire.run(answers, kinds: [kind], areConcurrent: false)
}

/// HTTP/2 frames.
let http2 = FuzzTarget("http2") { input in
    let count = 1 + input.number(below: 3)
    let areConcurrent = input.bool()
    let kinds = (0..<count).map { _ in input.choice(WireKind.allCases) }
    let start = HTTP2Frames.start(&input)
    Wire.http2.set(start: start, answer: HTTP2Frames.answer(&input), closes: input.number(below: 4) == 0)
    let requests = kinds.map { (kind: $0, request: URLRequest(url: Wire.http2.url)) }
    Wire.client.run(requests, areConcurrent: areConcurrent)
    Wire.client.checkHealth()
}
