import BenchmarkSupport
import Foundation

/// A certificate authority for the duration of the run, and a certificate for `localhost`.
struct Certificates {
    let authority: URL
    let certificate: URL
    let key: URL

    init(in folder: URL) throws {
        authority = folder.appending(path: "authority.pem")
        certificate = folder.appending(path: "localhost.pem")
        key = folder.appending(path: "localhost.key")
        let script = #"""
            set -e
            cd "$0"
            new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
            openssl req -x509 $new -days 2 -subj "/CN=Ferry benchmarks" \
                -addext keyUsage=critical,keyCertSign,cRLSign -keyout authority.key -out authority.pem
            openssl req $new -subj /CN=localhost -keyout localhost.key -out localhost.csr
            printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n' >localhost.ext
            openssl x509 -req -in localhost.csr -CA authority.pem -CAkey authority.key -CAcreateserial \
                -days 2 -extfile localhost.ext -out localhost.pem
            """#
        do {
            _ = try Command.run(["sh", "-c", script, folder.path], in: folder, seconds: 60)
        } catch {
            throw BenchmarkError("openssl could not make certificates: \(error)")
        }
    }
}
