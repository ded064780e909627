/// The chains that OpenSSL has refused, each until the attempt that met it has read it.
///
/// A handle's address is a name here and nothing more: a connection may outlive the handle that opened it.
final class RefusedChains: Sendable {
    struct Chain: Sendable, Equatable {
        /// As the server presented them, its own first.
        var certificates: [Data] = []
        /// The one that the refusal is about.
        var atFault: Data?
    }

    /// A server may send as many certificates as it likes.
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
