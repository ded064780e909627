import Ferry

/// The versions of the command and of libcurl.
enum Version {
    static let ferry = "0.1.0"

    static var userAgent: String { "ferry/\(ferry)" }

    /// Returns the output of `--version`.
    static func text() -> String {
        var lines = ["ferry \(ferry)"]
        do {
            let runtime = try CurlRuntime.current()
            lines.append("libcurl \(runtime.version)" + (runtime.tlsBackend.map { ", \($0)" } ?? ", no TLS"))
            var features = runtime.contentCodings
            if runtime.supportsHTTP2 { features.append("HTTP/2") }
            if runtime.supportsInternationalNames { features.append("IDN") }
            if runtime.supportsPublicSuffixes { features.append("PSL") }
            lines.append("features: " + features.joined(separator: ", "))
        } catch {
            lines.append(error.localizedDescription)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
