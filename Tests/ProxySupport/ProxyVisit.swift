import Foundation

/// The handling of a connection to a proxy.
struct ProxyVisit: Sendable {
    let guardian: ProxyGuardian
    let manners: TestProxy.Manners
    /// The body of the response to a request without a valid credential.
    let page: String
    let log: ExchangeLog

    func serve(_ client: Int32) {
        var first: UInt8 = 0
        guard recv(client, &first, 1, Int32(MSG_PEEK)) == 1 else { return }
        let socks: UInt8 = 5
        if first == socks { serveSOCKS(client) } else { while serveHTTP(client) {} }
    }

    // MARK: - HTTP

    /// Serves one request and returns whether another may follow on the connection.
    private func serveHTTP(_ client: Int32) -> Bool {
        var received: [UInt8] = []
        let mark = Array("\r\n\r\n".utf8)
        while received.count < 4 || !received.suffix(4).elementsEqual(mark) {
            let byte = Sockets.read(client, limit: 1)
            if byte.isEmpty { return false }
            received += byte
        }
        let head = String(decoding: received, as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        let words = lines.first?.split(separator: " ").map(String.init) ?? []
        guard words.count == 3 else { return false }
        let credentials = lines.first { $0.lowercased().hasPrefix("proxy-authorization:") }
            .map { $0.dropFirst("proxy-authorization:".count).trimmingCharacters(in: .whitespaces) }
        var exchange = TestProxy.Exchange(kind: words[0] == "CONNECT" ? .tunnel : .forward, target: words[1])
        exchange.head = head
        exchange.credentials = credentials
        exchange.isName = true
        guard guardian.admits(credentials, method: words[0]) else {
            log.append(exchange)
            let answer = "HTTP/1.1 407 Who are you\r\nProxy-Authenticate: \(guardian.challenge)\r\n"
            return Sockets.write(client, Array("\(answer)Content-Length: \(page.utf8.count)\r\n\r\n\(page)".utf8))
                && skipBody(of: lines, from: client)
        }
        switch manners {
        case .serves: break
        case .refuses(let status):
            log.append(exchange)
            let answer = "HTTP/1.1 \(status) No\r\nX-From: proxy\r\nContent-Length: 7\r\n\r\nrefused"
            return Sockets.write(client, Array(answer.utf8)) && skipBody(of: lines, from: client)
        case .stalls, .garbles, .closes:
            log.append(exchange)
            misbehave(client)
            return false
        }
        exchange.wasServed = true
        log.append(exchange)
        if words[0] == "CONNECT" { openTunnel(client, words[1]) } else { forward(client, words, lines.dropFirst()) }
        return false
    }

    /// Reads the body of a request that is not forwarded, since the connection's next request follows the body.
    private func skipBody(of lines: [String], from client: Int32) -> Bool {
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        var rest = length ?? 0
        while rest > 0 {
            let count = Sockets.read(client, limit: min(rest, 65_536)).count
            if count == 0 { return false }
            rest -= count
        }
        return true
    }

    private func misbehave(_ client: Int32) {
        if case .garbles = manners { _ = Sockets.write(client, Array("\u{7}what?\r\n\r\n".utf8)) }
        // Send nothing until the client closes the connection.
        if case .stalls = manners { while !Sockets.read(client).isEmpty {} }
    }

    private func openTunnel(_ client: Int32, _ target: String) {
        guard let port = target.split(separator: ":").last.flatMap({ Int($0) }), let server = Sockets.connect(port)
        else {
            _ = Sockets.write(client, Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8))
            return
        }
        // The header fields must not reach the client's response: they concern only the tunnel.
        let answer = "HTTP/1.1 200 Connection established\r\nX-From: tunnel\r\nSet-Cookie: tunnel=1\r\n\r\n"
        if Sockets.write(client, Array(answer.utf8)) { Sockets.relay(client, server) }
        close(server)
    }

    private func forward(_ client: Int32, _ words: [String], _ fields: ArraySlice<String>) {
        guard let url = URL(string: words[1]), let server = Sockets.connect(url.port ?? 80) else {
            _ = Sockets.write(client, Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".utf8))
            return
        }
        let authority = words[1].dropFirst("http://".count)
        let path = authority.firstIndex(of: "/").map { String(authority[$0...]) } ?? "/"
        let kept = fields.filter { !$0.lowercased().hasPrefix("proxy-") && !$0.lowercased().hasPrefix("connection:") }
        let head = (["\(words[0]) \(path) HTTP/1.1"] + kept + ["Connection: close", "", ""]).joined(separator: "\r\n")
        if Sockets.write(server, Array(head.utf8)) { Sockets.relay(client, server) }
        close(server)
    }

    // MARK: - SOCKS 5, RFC 1928 and 1929

    private func serveSOCKS(_ client: Int32) {
        let greeting = Sockets.read(client, exactly: 2)
        guard greeting.count == 2 else { return }
        let methods = Sockets.read(client, exactly: Int(greeting[1]))
        if case .stalls = manners { return misbehave(client) }
        if case .closes = manners { return }
        if case .garbles = manners { return misbehave(client) }
        let method: UInt8 = guardian.isOpen ? 0 : 2
        guard methods.contains(method) else {
            _ = Sockets.write(client, [5, 0xFF])
            return log.append(TestProxy.Exchange(kind: .socks, target: ""))
        }
        _ = Sockets.write(client, [5, method])
        var exchange = TestProxy.Exchange(kind: .socks, target: "")
        if !guardian.isOpen {
            let user = text(client, after: 1)
            let password = text(client, after: 0)
            exchange.credentials = "\(user):\(password)"
            let isAdmitted = guardian.admits(user: user, password: password)
            _ = Sockets.write(client, [1, isAdmitted ? 0 : 1])
            guard isAdmitted else { return log.append(exchange) }
        }
        let request = Sockets.read(client, exactly: 4)
        guard request.count == 4 else { return }
        let name: UInt8 = 3
        var host: String
        if request[3] == name {
            host = text(client, after: 0)
            exchange.isName = true
        } else {
            host = Sockets.read(client, exactly: request[3] == 1 ? 4 : 16).map { "\($0)" }.joined(separator: ".")
        }
        let bytes = Sockets.read(client, exactly: 2)
        guard bytes.count == 2 else { return }
        let port = Int(bytes[0]) * 256 + Int(bytes[1])
        host += ":\(port)"
        exchange.target = host
        if case .refuses = manners {
            log.append(exchange)
            let notAllowed: UInt8 = 2
            _ = Sockets.write(client, [5, notAllowed, 0, 1, 0, 0, 0, 0, 0, 0])
            return
        }
        guard let server = Sockets.connect(port) else {
            log.append(exchange)
            let refused: UInt8 = 5
            _ = Sockets.write(client, [5, refused, 0, 1, 0, 0, 0, 0, 0, 0])
            return
        }
        exchange.wasServed = true
        log.append(exchange)
        if Sockets.write(client, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) { Sockets.relay(client, server) }
        close(server)
    }

    /// Reads a string that is preceded by its length in one byte, after skipping some bytes.
    private func text(_ client: Int32, after skipped: Int) -> String {
        let head = Sockets.read(client, exactly: skipped + 1)
        return String(decoding: Sockets.read(client, exactly: Int(head.last ?? 0)), as: UTF8.self)
    }
}
