internal import CFerry

/// The libcurl loaded in this process: its version and the features it was built with.
///
/// ```swift
/// let runtime = try CurlRuntime.current()
/// print(runtime.version, runtime.supportsHTTP2)
/// ```
public struct CurlRuntime: Sendable, Hashable, CustomStringConvertible {
    /// The version, such as `7.88.1`.
    public let version: String
    /// The version as a number with one byte for each component: `0x075801` is 7.88.1.
    public let versionNumber: Int
    /// The TLS backend and its version, such as `OpenSSL/3.0.15`, or `nil` if libcurl was built without TLS.
    public let tlsBackend: String?
    /// A Boolean value that indicates whether HTTP/2 is supported.
    public let supportsHTTP2: Bool
    /// A Boolean value that indicates whether HTTP/3 is supported, with a return to earlier versions if it fails.
    public let supportsHTTP3: Bool
    /// A Boolean value that indicates whether names are looked up without blocking the engine.
    public let supportsAsynchronousDNS: Bool
    /// A Boolean value that indicates whether international domain names are supported.
    public let supportsInternationalNames: Bool
    /// A Boolean value that indicates whether NTLM authentication is supported.
    public let supportsNTLM: Bool
    /// A Boolean value that indicates whether Negotiate (Kerberos) authentication is supported.
    public let supportsNegotiate: Bool
    /// A Boolean value that indicates whether libcurl has the list of public suffixes, which cookie rules use.
    public let supportsPublicSuffixes: Bool
    /// A Boolean value that indicates whether proxies can be reached over TLS.
    public let supportsHTTPSProxies: Bool
    /// A Boolean value that indicates whether Unix-domain sockets are supported.
    public let supportsUnixSockets: Bool
    /// The names of the content codings that responses are decoded from, in order of preference.
    public let contentCodings: [String]
    /// The file and the folder where this libcurl looks for the system's certificate authorities.
    let authorityFile: String?
    let authorityFolder: String?
    /// The versions of HTTP that this libcurl supports, and how.
    package let httpVersionSupport: HTTPVersionSupport

    /// One line with the version and the TLS backend.
    public var description: String { Self.name(version, tlsBackend) }

    private static func name(_ version: String, _ tlsBackend: String?) -> String {
        "libcurl/\(version)" + (tlsBackend.map { " \($0)" } ?? "")
    }

    /// Returns the libcurl of this process, which the first call loads.
    ///
    /// - Throws: A ``CurlSessionError`` with the code `curlUnavailable` whose message names what was looked for.
    public static func current() throws -> CurlRuntime { try loaded.get() }

    /// libcurl 7.80, the first to report a request's connection, so that its trust and leftover bytes can be checked.
    package static let oldestVersionNumber = 0x07_50_00

    private static let loaded = Result<CurlRuntime, CurlSessionError> { () throws(CurlSessionError) in
        if let problem = ferry_load() { throw CurlSessionError(.curlUnavailable, String(cString: problem)) }
        let found = ferry_version_info()
        guard let info = found, info.pointee.version_number >= oldestVersionNumber else {
            let version = found?.pointee.version.map { String(cString: $0) } ?? "unknown"
            throw CurlSessionError(.curlUnavailable, "libcurl \(version) is too old: 7.80 or later is needed")
        }
        return CurlRuntime(info.pointee)
    }

    private init(_ info: ferry_version) {
        // The bits of curl_version_info's features.
        func supports(_ bit: Int32) -> Bool { info.features & (1 << bit) != 0 }
        version = info.version.map { String(cString: $0) } ?? "unknown"
        versionNumber = Int(info.version_number)
        tlsBackend = info.tls.map { String(cString: $0) }
        supportsHTTP2 = supports(16)
        // Before 7.88 a request for HTTP/3 did not fall back, and 7.88 closes the process's descriptor 0.
        supportsHTTP3 = supports(25) && versionNumber >= 0x08_00_00
        supportsAsynchronousDNS = supports(7)
        supportsInternationalNames = supports(10)
        supportsPublicSuffixes = supports(20)
        supportsUnixSockets = supports(19)
        supportsHTTPSProxies = supports(21)
        supportsNTLM = supports(4)
        supportsNegotiate = supports(8)
        authorityFile = info.authority_file.map { String(cString: $0) }
        authorityFolder = info.authority_folder.map { String(cString: $0) }
        contentCodings = ContentCoding.available.map(\.name)
        httpVersionSupport = HTTPVersionSupport(
            http2: supportsHTTP2,
            http3: supportsHTTP3,
            sharesHTTP3: !Self.losesRequests(info.quic.map { String(cString: $0) } ?? ""),
            reportsNegotiation: TLSBackend.isOpenSSL(tlsBackend ?? ""),
            name: Self.name(version, tlsBackend)
        )
    }
}
