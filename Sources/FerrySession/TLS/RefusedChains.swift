/// The chains that OpenSSL has refused, each kept until the attempt it belongs to has read it.
///
/// The address of a handle is used only as a key: a connection may outlive the handle that opened it.
final class RefusedChains: Sendable {
    struct Chain: Sendable, Equatable {
        /// The certificates as the server presented them, its own first.
        var certificates: [Data] = []
        /// The certificate that was refused.
        var atFault: Data?
    }

    /// The limit for a chain, since a server may send any number of certificates.
    private static let most = 16

    private let chains = Mutex<[Int: Chain]>([:])

    func note(_ certificate: Data, isAtFault: Bool, for easy: UnsafeMutableRawPointer) {
        let name = Int(bitPattern: easy)
        chains.withLock { chains in
            if isAtFault {
                chains[name, default: Chain()].atFault = certificate
            } else if chains[name, default: Chain()].certificates.count < Self.most {
                chains[name, default: Chain()].certificates.append(certificate)
            }
        }
    }

    func take(_ easy: UnsafeMutableRawPointer) -> Chain {
        chains.withLock { $0.removeValue(forKey: Int(bitPattern: easy)) ?? Chain() }
    }

    func forget(_ easy: UnsafeMutableRawPointer) {
        chains.withLock { $0[Int(bitPattern: easy)] = nil }
    }
}
