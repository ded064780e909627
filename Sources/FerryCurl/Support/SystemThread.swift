internal import CFerry

/// A thread of the system.
///
/// Foundation's `Thread` does not report that the system could not create it.
package enum SystemThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a closure on a new thread, which is detached; returns `false` if the system cannot create one.
    package static func start(_ name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(
            Body {
                ferry_name_thread(name)
                body()
            }
        )
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            &attributes,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            },
            box.toOpaque()
        )
        if result != 0 { box.release() }
        return result == 0
    }

    /// Runs a closure on a new thread, as soon as the system has room for one.
    package static func run(_ name: String, stackSize: Int, _ body: @escaping @Sendable () -> Void) {
        guard !start(name, stackSize: stackSize, body) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
            run(name, stackSize: stackSize, body)
        }
    }
}
