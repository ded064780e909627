import Ferry

/// Formats metrics for `-v`: one line for each request, redirects and retries included.
enum MetricsText {
    static func lines(_ metrics: TransferMetrics) -> [String] {
        metrics.transactions.map(line)
    }

    static func line(_ transaction: TransferMetrics.Transaction) -> String {
        var parts = ["* \(transaction.method) \(transaction.status.map(String.init) ?? "without a response")"]
        if transaction.isFromCache { return parts[0] + " from the cache" }
        if let name = transaction.networkProtocolName { parts[0] += " over \(name)" }
        if let address = transaction.remoteAddress {
            let host = address.contains(":") ? "[\(address)]" : address
            parts[0] += " from \(host)" + (transaction.remotePort.map { ":\($0)" } ?? "")
        }
        if transaction.isReusedConnection { parts.append("connection reused") }
        let phases = [
            ("name", transaction.nameLookup), ("connected", transaction.connect), ("TLS", transaction.secureConnect),
            ("sent", transaction.requestStart), ("first byte", transaction.responseStart),
        ]
        parts += phases.filter { $0.1 > 0 }.map { "\($0.0) \(ByteText.elapsed($0.1))" }
        parts.append("end \(ByteText.elapsed(transaction.end))")
        if transaction.bodyBytesSent > 0 { parts.append("\(ByteText.text(transaction.bodyBytesSent)) up") }
        parts.append("\(ByteText.text(transaction.bodyBytesReceived)) down")
        return parts.joined(separator: ", ")
    }
}
