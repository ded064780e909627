import Ferry

// A log shipper: lines go to a collector in one long request, compressed, as they are logged.

/// Sends log lines to a collector.
actor LogShipper {
    private struct Shipment {
        let writer: RequestBodyWriter
        let response: Task<String, any Error>
    }

    private let manager: HTTPSessionManager
    private var current: Shipment?
    /// The collector's responses to the requests that have ended.
    private(set) var receipts: [String] = []

    init(baseURL: URL) { manager = HTTPSessionManager(baseURL: baseURL) }

    /// Sends a line, and waits while the collector reads nothing.
    ///
    /// The collector may respond at any time, for example when it restarts. The line is then sent in a new request.
    /// Bytes of the earlier request that the collector has not read are lost, so its response should say how much it
    /// has stored.
    ///
    /// - Throws: The error of the request, such as a lost connection.
    func log(_ line: String) async throws {
        let data = Data((line + "\n").utf8)
        let shipment = current ?? begin()
        do {
            try await shipment.writer.write(data)
        } catch let error as CurlSessionError where error.code == .requestHasEnded {
            try await end(shipment)
            try await (current ?? begin()).writer.write(data)
        }
    }

    /// Ends the request, and waits until the collector has responded.
    func finish() async throws {
        guard let shipment = current else { return }
        shipment.writer.finish()
        try await end(shipment)
    }

    private func begin() -> Shipment {
        let (body, writer) = RequestBody.writer(coding: .gzip)
        let request = Request(.post, "logs", serializer: .string)
            .headers(["Content-Type": "text/plain"])
            .body(body)
        let shipment = Shipment(writer: writer, response: Task { [manager] in try await manager.send(request) })
        current = shipment
        return shipment
    }

    /// Waits for the response to a request that has ended; meanwhile, another caller may have begun the next request.
    private func end(_ shipment: Shipment) async throws {
        if current?.writer === shipment.writer { current = nil }
        receipts.append(try await shipment.response.value)
    }
}
