/// The options; raw values are long names, and the order is that of the help text.
///
/// Everything else about them is in the table of `Option+Table.swift`.
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
}
