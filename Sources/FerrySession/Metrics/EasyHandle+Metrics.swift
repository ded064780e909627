internal import CFerry

extension EasyHandle {
    /// Returns libcurl's measurements of the attempt that is ending.
    func transaction(of request: URLRequest, status: Int?, start: Date) -> TransferMetrics.Transaction {
        let version = long(CurlInfo.httpVersion)
        let port = long(CurlInfo.primaryPort)
        let address = string(CurlInfo.primaryAddress)
        return TransferMetrics.Transaction(
            url: request.url?.presentable,
            method: request.httpMethod ?? "GET",
            status: status,
            start: start,
            nameLookup: seconds(CurlInfo.nameLookupTime),
            connect: seconds(CurlInfo.connectTime),
            secureConnect: seconds(CurlInfo.secureConnectTime),
            requestStart: seconds(CurlInfo.preTransferTime),
            responseStart: seconds(CurlInfo.startTransferTime),
            end: seconds(CurlInfo.totalTime),
            bodyBytesSent: offset(CurlInfo.sizeUpload),
            bodyBytesReceived: offset(CurlInfo.sizeDownload),
            headerBytesReceived: long(CurlInfo.headerSize),
            networkProtocolName: status == nil ? nil : Self.protocolNames[version],
            remoteAddress: address.isEmpty ? nil : address,
            remotePort: port > 0 ? port : nil,
            isReusedConnection: status != nil && long(CurlInfo.newConnections) == 0
        )
    }

    private static let protocolNames = [1: "http/1.0", 2: "http/1.1", 3: "h2", 30: "h3"]

    private func seconds(_ info: Int32) -> TimeInterval {
        Double(offset(info)) / 1_000_000
    }

    func offset(_ info: Int32) -> Int64 {
        var value: Int64 = 0
        ferry_easy_get_offset(pointer, info, &value)
        return value
    }

    private func string(_ info: Int32) -> String {
        var value: UnsafePointer<CChar>?
        ferry_easy_get_string(pointer, info, &value)
        return value.map { String(cString: $0) } ?? ""
    }
}
