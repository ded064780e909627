import Ferry

/// The value of `--proxy`.
enum ProxyArgument: Equatable, Sendable {
    case server(URL)
    /// An empty value: no proxy, even if the environment has one.
    case none
}

/// The value of `--cert`: a file, and the passphrase of its key after a colon.
struct CertificateArgument: Equatable, Sendable {
    let path: String
    let passphrase: String?
}

extension CertificateArgument {
    /// Parses `FILE` or `FILE:PASSPHRASE`; a colon or backslash of the file's name is written after a backslash.
    init(parsing value: String) throws(UsageError) {
        var path = ""
        var rest = value[...]
        var passphrase: String?
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.first, next == ":" || next == "\\" {
                path.append(rest.removeFirst())
            } else if character == ":" {
                passphrase = String(rest)
                break
            } else {
                path.append(character)
            }
        }
        // The passphrase is a secret, which no message may contain.
        guard !path.isEmpty, !path.utf8.contains(0) else { throw UsageError("--cert needs a file name") }
        self.init(path: path, passphrase: passphrase)
    }

    /// Whether the file is in the format PKCS#12, which includes the key.
    var isPKCS12: Bool { [".p12", ".pfx"].contains { path.lowercased().hasSuffix($0) } }

    /// Returns the certificate with the key in another file, or in its own.
    func certificate(keyFile: String?) -> ClientCertificate {
        let url = URL(fileURLWithPath: path)
        if isPKCS12 { return .pkcs12File(url, passphrase: passphrase) }
        return .pemFiles(certificate: url, key: keyFile.map { URL(fileURLWithPath: $0) }, passphrase: passphrase)
    }
}

/// The value of `--resolve`: a host, a port, and the numeric addresses to connect to.
struct ResolveArgument: Equatable, Sendable {
    /// The host and the port, such as `example.com:443`.
    let key: String
    let addresses: [String]
}

extension ResolveArgument {
    /// Parses `HOST:PORT:ADDRESS[,ADDRESS]…`; an IPv6 address may be in brackets.
    init(parsing value: String) throws(UsageError) {
        let parts = value.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[0].isEmpty, let port = Int(parts[1]), (1...65_535).contains(port) else {
            throw UsageError("--resolve takes HOST:PORT:ADDRESS, not \(UsageError.quoted(value))")
        }
        guard !"*+-[".contains(parts[0].prefix(1)) else {
            throw UsageError("--resolve takes the name of a host, not \(UsageError.quoted(parts[0]))")
        }
        key = "\(parts[0]):\(port)"
        addresses = parts[2].split(separator: ",").map { text in
            text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : String(text)
        }
        guard !addresses.isEmpty, addresses.allSatisfy({ IPAddress($0) != nil }) else {
            throw UsageError("--resolve takes numeric addresses, not \(UsageError.quoted(parts[2]))")
        }
    }
}

extension NetworkOptions.LocalEndpoint {
    /// Parses the value of `--interface`: a name or a numeric address, also after curl's `if!` and `host!`.
    init(parsing value: String) {
        if value.hasPrefix("if!") {
            self = .interface(String(value.dropFirst(3)))
        } else if value.hasPrefix("host!") {
            self = .address(String(value.dropFirst(5)))
        } else {
            self = IPAddress(value) == nil ? .interface(value) : .address(value)
        }
    }
}
