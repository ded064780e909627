extension TransferMetrics.Transaction {
    /// Returns the transaction of a response from the cache, which takes no time.
    static func cached(_ request: URLRequest, status: Int) -> Self {
        Self(
            url: request.url?.presentable,
            method: request.httpMethod ?? "GET",
            status: status,
            start: Date(),
            nameLookup: 0,
            connect: 0,
            secureConnect: 0,
            requestStart: 0,
            responseStart: 0,
            end: 0,
            bodyBytesSent: 0,
            bodyBytesReceived: 0,
            headerBytesReceived: 0,
            networkProtocolName: nil,
            remoteAddress: nil,
            remotePort: nil,
            isReusedConnection: false,
            isFromCache: true
        )
    }
}
