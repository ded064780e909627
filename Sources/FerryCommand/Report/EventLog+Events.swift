import Ferry

/// The events; the names of their members are a stable interface.
extension EventLog {
    func start(_ transfer: Int, _ url: URL, method: String, file: String?) {
        write("start", transfer: transfer) { line in
            line.add("url", url.presentableText)
            line.add("method", method)
            line.add("file", file)
        }
    }

    func redirect(_ transfer: Int, _ response: HTTPURLResponse, to request: URLRequest) {
        write("redirect", transfer: transfer) { line in
            line.add("url", response.url?.presentableText)
            line.add("http_code", Int64(response.statusCode))
            line.add("location", request.url?.presentableText)
            line.add("method", request.httpMethod)
        }
    }

    /// Logs that the request is sent again.
    func retry(_ transfer: Int, reason: String) {
        write("retry", transfer: transfer) { $0.add("reason", reason) }
    }

    func response(_ transfer: Int, _ response: HTTPURLResponse) {
        write("response", transfer: transfer) { line in
            let length = response.expectedContentLength
            line.add("url", response.url?.presentableText)
            line.add("http_code", Int64(response.statusCode))
            line.add("content_type", response.value(forHTTPHeaderField: "Content-Type"))
            line.add("content_length", length < 0 ? nil : length)
        }
    }

    /// Logs progress in one direction, at most once a second for each transfer.
    func progress(_ transfer: Int, _ direction: String, _ count: Int64, of total: Int64?) {
        guard isProgressDue(transfer) else { return }
        write("progress", transfer: transfer) { line in
            line.add("direction", direction)
            line.add("bytes", count)
            line.add("total", total)
        }
    }

    /// Logs a failure of a transfer, or of the run.
    func error(_ failure: CommandFailure, transfer: Int? = nil) {
        write("error", transfer: transfer) { line in
            line.add("code", failure.status.name)
            line.add("exit_status", Int64(failure.status.rawValue))
            line.add("url_error", failure.urlErrorCode.map { Int64($0) })
            line.add("message", failure.message)
        }
    }

    func end(_ report: TransferReport, remainder: FetchResult.Remainder?) {
        write("end", transfer: report.index) { line in
            line.add("exit_status", Int64(report.status.rawValue))
            line.add("part", remainder?.path)
            line.append(JSONLine(facts: report))
            line.add("requests", .objects(report.requests.map(JSONLine.init(request:))))
        }
    }

    func exit(_ status: ExitStatus, transfers: Int, failures: Int) {
        write("exit") { line in
            line.add("exit_status", Int64(status.rawValue))
            line.add("code", status.name)
            line.add("transfers", Int64(transfers))
            line.add("failed", Int64(failures))
        }
    }
}

extension JSONLine {
    /// Creates the object of a request; `wanted` and `start` count from the start of the run, the rest from `start`.
    fileprivate init(request: RequestTiming) {
        self.init()
        add("url", request.url)
        add("method", request.method)
        add("http_code", request.status.map { Int64($0) })
        add("protocol", request.protocolName)
        add("remote_ip", request.remoteAddress)
        add("remote_port", request.remotePort.map { Int64($0) })
        add("reused", .bool(request.isReused))
        add("size_download", request.bytesReceived)
        add("size_upload", request.bytesSent)
        add("wanted", .seconds(request.wanted))
        add("start", .seconds(request.start))
        add("time_namelookup", .seconds(request.nameLookup))
        add("time_connect", .seconds(request.connect))
        add("time_appconnect", .seconds(request.secureConnect))
        add("time_pretransfer", .seconds(request.requestStart))
        add("time_starttransfer", .seconds(request.responseStart))
        add("time_total", .seconds(request.end))
    }
}
