extension Option {
    /// The groups of options in the help text and the manual.
    enum Group: String, CaseIterable {
        case request = "Requests"
        case output = "Where the body goes"
        case connection = "Redirects, timeouts and connections"
        case several = "Several URLs"
        case report = "Reports"
        case general = "General"

        var options: [Option] { Option.allCases.filter { $0.group == self } }
    }

    var group: Group {
        switch self {
        case .request, .header, .data, .json, .form, .uploadFile, .head: .request
        case .output, .remoteName, .continueDownload, .include, .fail: .output
        case .location, .noRedirect, .timeout, .maxTime, .connectTimeout, .caCertificate, .pin, .proxy: .connection
        case .parallel, .batch: .several
        case .writeOut, .timings, .jsonLog, .timeline, .verbose, .silent: .report
        case .version, .help: .general
        }
    }
}
