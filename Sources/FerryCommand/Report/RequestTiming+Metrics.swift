import Ferry

extension RequestTiming {
    init(_ transaction: TransferMetrics.Transaction, transfer: Int, since origin: Date, wanted: Double) {
        self.init(
            transfer: transfer,
            url: transaction.url?.presentableText ?? "",
            method: transaction.method,
            status: transaction.status,
            protocolName: transaction.networkProtocolName,
            remoteAddress: transaction.remoteAddress,
            remotePort: transaction.remotePort,
            isReused: transaction.isReusedConnection,
            isCached: transaction.isFromCache,
            bytesSent: transaction.bodyBytesSent,
            bytesReceived: transaction.bodyBytesReceived,
            headerBytes: transaction.headerBytesReceived,
            wanted: wanted,
            // The system clock may have been set back.
            start: max(transaction.start.timeIntervalSince(origin), wanted),
            nameLookup: transaction.nameLookup,
            connect: transaction.connect,
            secureConnect: transaction.secureConnect,
            requestStart: transaction.requestStart,
            responseStart: transaction.responseStart,
            end: transaction.end
        )
    }
}
