/// The `URLProtocol` classes that all sessions of the process ask.
enum RegisteredProtocolClasses {
    private static let classes = Mutex<[URLProtocol.Type]>([])

    /// The classes, the one that was registered last first.
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
    /// It takes the place of `URLProtocol.registerClass`, whose list cannot be read from outside FoundationNetworking.
    /// The class that was registered last is asked first, after the classes of a session's configuration. A class that is
    /// registered again becomes the last.
    public static func registerProtocolClass(_ protocolClass: URLProtocol.Type) {
        RegisteredProtocolClasses.add(protocolClass)
    }

    /// Unregisters a class; requests that it loads already are not affected.
    public static func unregisterProtocolClass(_ protocolClass: URLProtocol.Type) {
        RegisteredProtocolClasses.remove(protocolClass)
    }
}
