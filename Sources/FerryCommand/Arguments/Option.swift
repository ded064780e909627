/// The options; raw values are long names, and the order is that of the help text.
enum Option: String, CaseIterable, Sendable {
    case request
    case header
    case data
    case json
    case form
    case uploadFile = "upload-file"
    case head

    case output
    case remoteName = "remote-name"
    case continueDownload = "continue"
    case include
    case fail

    case location
    case noRedirect = "no-redirect"
    case timeout
    case maxTime = "max-time"
    case connectTimeout = "connect-timeout"
    case caCertificate = "cacert"
    case pin
    case proxy

    case parallel
    case batch

    case writeOut = "write-out"
    case timings
    case jsonLog = "json-log"
    case timeline
    case verbose
    case silent

    case version
    case help

    /// Returns the option with a long name, given without dashes.
    static func named(_ name: String) -> Option? {
        Option(rawValue: name)
    }

    /// Returns the option with a short name, given without the dash.
    static func named(_ name: Character) -> Option? {
        allCases.first { $0.short == name }
    }

    var short: Character? {
        switch self {
        case .request: "X"
        case .header: "H"
        case .data: "d"
        case .form: "F"
        case .uploadFile: "T"
        case .output: "o"
        case .remoteName: "O"
        case .continueDownload: "C"
        case .include: "i"
        case .head: "I"
        case .location: "L"
        case .parallel: "P"
        case .fail: "f"
        case .writeOut: "w"
        case .silent: "s"
        case .verbose: "v"
        case .version: "V"
        case .help: "h"
        case .json, .noRedirect, .timeout, .maxTime, .connectTimeout, .caCertificate, .pin, .proxy, .batch, .timings,
            .jsonLog, .timeline:
            nil
        }
    }

    /// The name of the option's value in the help text; `nil` for an option without a value.
    var valueName: String? {
        switch self {
        case .request: "METHOD"
        case .header: "'NAME: VALUE'"
        case .data, .json: "DATA|@FILE"
        case .form: "NAME=VALUE"
        case .uploadFile, .output, .caCertificate, .batch, .jsonLog: "FILE"
        case .timeout, .maxTime, .connectTimeout: "SECONDS"
        case .pin: "sha256//BASE64"
        case .proxy: "URL"
        case .parallel: "COUNT"
        case .writeOut: "FORMAT|@FILE"
        case .timeline: "FILE.svg|FILE.html"
        case .remoteName, .continueDownload, .include, .head, .location, .noRedirect, .fail, .timings, .silent,
            .verbose, .version, .help:
            nil
        }
    }
}
