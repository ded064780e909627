/// The options; raw values are long names, and the order is that of the help text.
enum Option: String, CaseIterable, Sendable {
    case url
    case request
    case header
    case userAgent = "user-agent"
    case referer
    case range
    case compressed
    case data
    case dataRaw = "data-raw"
    case dataBinary = "data-binary"
    case dataURLEncode = "data-urlencode"
    case get
    case json
    case form
    case asForm = "as-form"
    case uploadFile = "upload-file"
    case head
    case timeCondition = "time-cond"
    case user
    case digest
    case oauth2Bearer = "oauth2-bearer"
    case netrc
    case netrcFile = "netrc-file"
    case cookie
    case cookieJar = "cookie-jar"
    case output
    case remoteName = "remote-name"
    case remoteHeaderName = "remote-header-name"
    case remoteTime = "remote-time"
    case outputFolder = "output-dir"
    case createFolders = "create-dirs"
    case continueDownload = "continue"
    case connections
    case mirror
    case checksum
    case noBuffer = "no-buffer"
    case serverSentEvents = "sse"
    case lines
    case include
    case dumpHeader = "dump-header"
    case fail
    case failWithBody = "fail-with-body"
    case location
    case noRedirect = "no-redirect"
    case maxRedirects = "max-redirs"
    case timeout
    case maxTime = "max-time"
    case connectTimeout = "connect-timeout"
    case deadline
    case caCertificate = "cacert"
    case insecure
    case pin
    case certificate = "cert"
    case key
    case proxy
    case resolve
    case resolverURL = "doh-url"
    case ipv4
    case ipv6
    case interface
    case http1 = "http1.1"
    case http2
    case http2PriorKnowledge = "http2-prior-knowledge"
    case http3
    case http3Only = "http3-only"
    case unixSocket = "unix-socket"
    case limitRate = "limit-rate"
    case ping
    case binary
    case retry
    case retryDelay = "retry-delay"
    case retryMaxTime = "retry-max-time"
    case retryAllErrors = "retry-all-errors"
    case parallel
    case parallelMax = "parallel-max"
    case batch
    case queueFolder = "dir"
    case next
    case globOff = "globoff"
    case writeOut = "write-out"
    case timings
    case jsonLog = "json-log"
    case timeline
    case verbose
    case silent
    case showError = "show-error"
    case config
    case disable
    case completion
    case version
    case help

    /// The groups of options in the help text and the manual.
    enum Group: String, CaseIterable {
        case request = "Requests"
        case output = "Where the body goes"
        case connection = "Redirects, timeouts and connections"
        case retry = "Retries"
        case several = "Several URLs"
        case report = "Reports"
        case general = "General"

        var options: [Option] { Option.allCases.filter { $0.group == self } }
    }

    /// The letter of the short name, if there is one.
    var short: Character? { facts.short }
    /// The name of the option's value in the help text; `nil` for an option without a value.
    var valueName: String? { facts.valueName }
    var group: Group { facts.group }

    private var facts: (short: Character?, valueName: String?, group: Group) {
        switch self {
        case .url: (nil, "URL", .request)
        case .request: ("X", "METHOD", .request)
        case .header: ("H", "'NAME: VALUE'", .request)
        case .userAgent: ("A", "TEXT", .request)
        case .referer: ("e", "URL", .request)
        case .range: ("r", "RANGE", .request)
        case .compressed: (nil, nil, .request)
        case .data: ("d", "DATA|@FILE", .request)
        case .dataRaw: (nil, "DATA", .request)
        case .dataBinary: (nil, "DATA|@FILE", .request)
        case .dataURLEncode: (nil, "DATA", .request)
        case .get: ("G", nil, .request)
        case .json: (nil, "DATA|@FILE", .request)
        case .form: ("F", "NAME=VALUE", .request)
        case .asForm: (nil, nil, .request)
        case .uploadFile: ("T", "FILE", .request)
        case .head: ("I", nil, .request)
        case .timeCondition: ("z", "DATE|FILE", .request)
        case .user: ("u", "NAME:PASSWORD", .request)
        case .digest: (nil, nil, .request)
        case .oauth2Bearer: (nil, "TOKEN", .request)
        case .netrc: ("n", nil, .request)
        case .netrcFile: (nil, "FILE", .request)
        case .cookie: ("b", "NAME=VALUE|FILE", .request)
        case .cookieJar: ("c", "FILE", .request)
        case .output: ("o", "FILE", .output)
        case .remoteName: ("O", nil, .output)
        case .remoteHeaderName: ("J", nil, .output)
        case .remoteTime: ("R", nil, .output)
        case .outputFolder: (nil, "FOLDER", .output)
        case .createFolders: (nil, nil, .output)
        case .continueDownload: ("C", nil, .output)
        case .connections: (nil, "COUNT", .output)
        case .mirror: (nil, "URL", .output)
        case .checksum: (nil, "sha-256=HEX", .output)
        case .noBuffer: ("N", nil, .output)
        case .serverSentEvents: (nil, nil, .output)
        case .lines: (nil, nil, .output)
        case .include: ("i", nil, .output)
        case .dumpHeader: ("D", "FILE", .output)
        case .fail: ("f", nil, .output)
        case .failWithBody: (nil, nil, .output)
        case .location: ("L", nil, .connection)
        case .noRedirect: (nil, nil, .connection)
        case .maxRedirects: (nil, "COUNT", .connection)
        case .timeout: (nil, "SECONDS", .connection)
        case .maxTime: ("m", "SECONDS", .connection)
        case .connectTimeout: (nil, "SECONDS", .connection)
        case .deadline: (nil, "SECONDS", .connection)
        case .caCertificate: (nil, "FILE", .connection)
        case .insecure: ("k", nil, .connection)
        case .pin: (nil, "sha256//BASE64", .connection)
        case .certificate: ("E", "FILE[:PASSPHRASE]", .connection)
        case .key: (nil, "FILE", .connection)
        case .proxy: ("x", "URL", .connection)
        case .resolve: (nil, "HOST:PORT:ADDRESS", .connection)
        case .resolverURL: (nil, "URL", .connection)
        case .ipv4: ("4", nil, .connection)
        case .ipv6: ("6", nil, .connection)
        case .interface: (nil, "NAME|ADDRESS", .connection)
        case .http1: (nil, nil, .connection)
        case .http2: (nil, nil, .connection)
        case .http2PriorKnowledge: (nil, nil, .connection)
        case .http3: (nil, nil, .connection)
        case .http3Only: (nil, nil, .connection)
        case .unixSocket: (nil, "PATH", .connection)
        case .limitRate: (nil, "RATE", .connection)
        case .ping: (nil, "SECONDS", .connection)
        case .binary: (nil, nil, .connection)
        case .retry: (nil, "COUNT", .retry)
        case .retryDelay: (nil, "SECONDS", .retry)
        case .retryMaxTime: (nil, "SECONDS", .retry)
        case .retryAllErrors: (nil, nil, .retry)
        case .parallel: ("Z", nil, .several)
        case .parallelMax: ("P", "COUNT", .several)
        case .batch: (nil, "FILE", .several)
        case .queueFolder: (nil, "FOLDER", .several)
        case .next: (nil, nil, .several)
        case .globOff: ("g", nil, .several)
        case .writeOut: ("w", "FORMAT|@FILE", .report)
        case .timings: (nil, nil, .report)
        case .jsonLog: (nil, "FILE", .report)
        case .timeline: (nil, "FILE.svg|FILE.html", .report)
        case .verbose: ("v", nil, .report)
        case .silent: ("s", nil, .report)
        case .showError: ("S", nil, .report)
        case .config: ("K", "FILE", .general)
        case .disable: ("q", nil, .general)
        case .completion: (nil, "bash|zsh|fish", .general)
        case .version: ("V", nil, .general)
        case .help: ("h", nil, .general)
        }
    }
}
