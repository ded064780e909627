import Ferry
import TestSupport

/// Loopback ports for a server in another process, which no other program gets while the object exists.
///
/// Each is bound to a socket that does not listen. The server can listen at the port if it sets `SO_REUSEADDR`, as
/// nginx and Node.js do.
package final class ReservedPorts: Sendable {
    package let ports: [UInt16]
    private let descriptors: [Int32]

    package init(_ count: Int) throws {
        descriptors = (0..<count).map { _ in LoopbackSocket.make() }
        ports = try descriptors.map { descriptor in
            LoopbackSocket.allowReuse(descriptor)
            return UInt16(try LoopbackSocket.bind(descriptor))
        }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Whether a server accepts connections at all the ports.
    package var areAnswered: Bool {
        ports.allSatisfy { port in
            let descriptor = LoopbackSocket.make()
            defer { close(descriptor) }
            return LoopbackSocket.connect(descriptor, to: Int(port))
        }
    }
}
