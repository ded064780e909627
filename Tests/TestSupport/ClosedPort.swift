import Foundation

/// A port of 127.0.0.1 that refuses connections for as long as the object exists.
///
/// The port of a stopped server is not reliable for that, since another server may take it.
package final class ClosedPort: Sendable {
    package let port: Int
    private let descriptor: Int32

    /// Binds a socket that does not listen.
    ///
    /// The system chooses the port, unless the port of a stopped server is given, to keep it from other servers.
    package init(_ port: Int? = nil) throws {
        descriptor = LoopbackSocket.make()
        if port != nil { LoopbackSocket.allowReuse(descriptor) }
        self.port = try LoopbackSocket.bind(descriptor, port: port ?? 0)
    }

    deinit {
        close(descriptor)
    }

    package var url: URL { URL(string: "http://127.0.0.1:\(port)/") ?? URL(fileURLWithPath: "/") }
}
