import Ferry

/// The ports nginx listens on, each with its own behavior.
package enum NginxListener: Int, CaseIterable, Sendable {
    case plain
    case tls
    case http2
    /// HTTP/2 without TLS, and nothing else.
    case cleartextHTTP2
    /// HTTP/2 without TLS, with connections that end after twenty requests.
    case shortLivedCleartext
    /// HTTP/2 with connections that end after twenty requests.
    case shortLived
    /// HTTP/3, and HTTP/2 over TLS; without HTTP/3 in nginx, only HTTP/2.
    case http3
    case expired
    case selfSigned
    case wrongHost
    case unknownAuthority
    case notYetValid
    /// A valid certificate with another key.
    case otherKey
    /// A certificate from an intermediate authority, whose certificate is sent along.
    case chained
    case chainedExpired
    case chainedWrongHost
    /// Requires clients to present a certificate.
    case clientCertificate
    case tls12Only
    case tls13Only

    package var scheme: String { isCleartext ? "http" : "https" }
    fileprivate var isCleartext: Bool { [.plain, .cleartextHTTP2, .shortLivedCleartext].contains(self) }

    package var certificate: ThrowawayCertificates.Kind {
        switch self {
        case .plain, .tls, .http2, .cleartextHTTP2, .shortLivedCleartext, .shortLived, .clientCertificate, .tls12Only,
            .tls13Only, .http3:
            .good
        case .notYetValid: .notYetValid
        case .otherKey: .otherKey
        case .chained: .chained
        case .chainedExpired: .chainedExpired
        case .chainedWrongHost: .chainedWrongHost
        case .expired: .expired
        case .selfSigned: .selfSigned
        case .wrongHost: .wrongHost
        case .unknownAuthority: .unknownAuthority
        }
    }
}

/// The text of `nginx.conf`.
package struct NginxConfiguration {
    package let prefix: URL
    package let ports: [NginxListener: UInt16]
    package let certificates: ThrowawayCertificates

    package var text: String {
        """
        \(getuid() == 0 ? "user root;" : "")
        daemon off;
        worker_processes 1;
        pid nginx.pid;
        error_log error.log notice;
        events { worker_connections 2048; }
        http {
          access_log access.log;
          client_body_temp_path temporary/body;
          proxy_temp_path temporary/proxy;
          fastcgi_temp_path temporary/fastcgi;
          uwsgi_temp_path temporary/uwsgi;
          scgi_temp_path temporary/scgi;
          default_type application/octet-stream;
          types { text/plain txt; }
          sendfile on;
          client_max_body_size 0;
          keepalive_requests 100000;
          http2_max_concurrent_streams 128;
          server_tokens off;
          add_header X-Protocol $server_protocol always;
          add_header X-Connection $connection always;
          add_header X-Request-Line $request always;
        \(NginxListener.allCases.map(server).joined(separator: "\n"))
        }
        """
    }

    private func port(_ listener: NginxListener) -> UInt16 { ports[listener] ?? 0 }

    private func manners(_ listener: NginxListener) -> String {
        switch listener {
        case .shortLived: "keepalive_requests 20;"
        // With sendfile and without TLS, nginx treats many streams of large files as a flood, and ends the connection.
        case .cleartextHTTP2: "sendfile off;"
        case .shortLivedCleartext: "sendfile off; keepalive_requests 20;"
        case .clientCertificate: "ssl_verify_client on; ssl_client_certificate \(certificates.authority.path);"
        case .tls12Only: "ssl_protocols TLSv1.2;"
        case .tls13Only: "ssl_protocols TLSv1.3;"
        default: ""
        }
    }

    private func server(_ listener: NginxListener) -> String {
        let isHTTP2 = [.http2, .shortLived, .cleartextHTTP2, .shortLivedCleartext, .http3].contains(listener)
        let isPlain = listener.isCleartext
        let certificate = certificates.certificate(listener.certificate).path
        let key = certificates.key(listener.certificate).path
        return """
              server {
                listen 127.0.0.1:\(port(listener))\(isPlain ? "" : " ssl")\(isHTTP2 ? " http2" : "");
                \(isPlain ? "" : "ssl_certificate \(certificate); ssl_certificate_key \(key);")
                \(listener == .http3 && NginxServer.hasHTTP3 ? "listen 127.0.0.1:\(port(listener)) quic;" : "")
                \(manners(listener))
                root \(prefix.path);
            \(locations)
              }
            """
    }

    private var locations: String {
        let tls = "https://localhost:\(port(.tls))"
        let http2 = "https://localhost:\(port(.http2))"
        let plain = "http://localhost:\(port(.plain))"
        return """
                location /small { return 200 "hello\\n"; }
                location /client { return 200 $ssl_client_s_dn; }
                location /files/ { }
                location /gzip/ { alias files/; gzip on; gzip_types *; gzip_min_length 1; gzip_http_version 1.0; }
                location /unmarked/ { alias files/; etag off; add_header Last-Modified ""; }
                location /slow/ { alias files/; limit_rate 4m; }
                location /stalling/ { alias files/; limit_rate 50m; send_timeout 5s; }
                location /resetting/ { alias files/; limit_rate 50m; send_timeout 5s; reset_timedout_connection on; }
                location /uploads/ { dav_methods PUT; create_full_put_path on; }
                location /hop/plain { return 302 \(tls)/hop/tls; }
                location /hop/tls { return 302 \(http2)/hop/http2; }
                location /hop/http2 { return 200 "arrived\\n"; }
                location /hop/client { return 302 https://localhost:\(port(.clientCertificate))/client; }
                location /hop/down { return 302 \(plain)/small; }
                location /announced {
                  add_header X-Protocol $server_protocol;
                  add_header X-Connection $connection;
                  add_header Alt-Svc 'h3=":$server_port"; ma=60';
                  return 200 "hello\\n";
                }
                location /hsts { add_header Strict-Transport-Security "max-age=1000"; return 200 "hello\\n"; }
                location /other { absolute_redirect off; return 303 /small; }
                location /again { absolute_redirect off; return 307 /uploads/again; }
                location /reading/ { proxy_pass \(plain)/; proxy_redirect off; }
                location ~ "^/to/(?<peer>[0-9]+)(?<rest>/.*)$" {
                  proxy_pass http://127.0.0.1:$peer$rest;
                  proxy_set_header X-Connection $connection;
                }
                location /first-only { if ($connection_requests != 1) { return 444; } return 200 "hello\\n"; }
            """
    }
}
