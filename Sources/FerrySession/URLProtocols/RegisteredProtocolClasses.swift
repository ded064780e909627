/// The `URLProtocol` classes registered for all sessions of the process.
enum RegisteredProtocolClasses {
    private static let classes = Mutex<[URLProtocol.Type]>([])

    /// The classes, with the one registered last at the front.
    static var all: [URLProtocol.Type] { classes.withLock { $0.reversed() } }

    static var areThere: Bool { classes.withLock { !$0.isEmpty } }

    static func add(_ type: URLProtocol.Type) {
        classes.withLock { classes in
            classes.removeAll { $0 == type }
            classes.append(type)
        }
    }

    static func remove(_ type: URLProtocol.Type) {
        classes.withLock { $0.removeAll { $0 == type } }
    }
}

extension CurlSession {
    /// Registers a class that all sessions ask for each request, until it is unregistered.
    ///
    /// It replaces `URLProtocol.registerClass`, whose list cannot be read from outside FoundationNetworking. The
    /// classes of a session's configuration are asked first, then the registered ones, beginning with the one
    /// registered last. Registering a class again makes it the last one registered.
    public static func registerProtocolClass(_ protocolClass: URLProtocol.Type) {
        RegisteredProtocolClasses.add(protocolClass)
    }

    /// Unregisters a class; requests that it is already loading are not affected.
    public static func unregisterProtocolClass(_ protocolClass: URLProtocol.Type) {
        RegisteredProtocolClasses.remove(protocolClass)
    }
}
