import FerryTesting
import Foundation

/// A response as received.
struct RawResponse {
    var status: Int
    var statusLine: String
    var headers: LoopbackHeaders
    var body = Data()
    var trailers: LoopbackHeaders = [:]
    var interim: [RawResponse] = []

    var text: String {
        String(decoding: body, as: UTF8.self)
    }

    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }
}

extension RawClient {
    /// Reads one response and the interim responses before it.
    func response(toHead isHead: Bool = false) throws -> RawResponse {
        var interim: [RawResponse] = []
        while true {
            var response = try head()
            if (100...199).contains(response.status) {
                interim.append(response)
                continue
            }
            response.interim = interim
            if isHead || response.status == 204 || response.status == 304 { return response }
            if response.headers["Transfer-Encoding"] == "chunked" {
                try readChunks(into: &response)
            } else if let length = response.headers["Content-Length"].flatMap({ Int($0) }) {
                response.body = try receive(exactly: length)
            } else {
                response.body = receiveAll().data
            }
            return response
        }
    }

    /// Sends a request and reads its response.
    func exchange(
        _ method: String,
        _ target: String,
        _ fields: [String] = [],
        body: Data = Data()
    ) throws -> RawResponse {
        try request(method, target, fields, body: body)
        return try response(toHead: method == "HEAD")
    }

    func head() throws -> RawResponse {
        let statusLine = try receiveLine()
        let words = statusLine.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, let status = Int(words[1]) else { throw Failure(call: statusLine, code: 0) }
        return RawResponse(status: status, statusLine: statusLine, headers: try fields())
    }

    private func fields() throws -> LoopbackHeaders {
        var headers = LoopbackHeaders()
        while true {
            let line = try receiveLine()
            if line.isEmpty { return headers }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            headers.add(String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
    }

    private func readChunks(into response: inout RawResponse) throws {
        while true {
            let line = try receiveLine()
            guard let size = Int(line.prefix { $0 != ";" }, radix: 16) else { throw Failure(call: line, code: 0) }
            if size == 0 {
                response.trailers = try fields()
                return
            }
            response.body.append(try receive(exactly: size))
            guard try receiveLine().isEmpty else { throw Failure(call: "chunk end", code: 0) }
        }
    }
}
