import Ferry
import FerrySession

extension SessionTransport {
    /// Returns a transport whose sessions trust only the throwaway authority.
    package static func trusting(_ server: NginxServer) -> SessionTransport {
        var options = CurlSession.Options()
        options.tls.certificateAuthorities = .only([.pemFile(server.certificates.authority)])
        return .curl(options: options)
    }
}
