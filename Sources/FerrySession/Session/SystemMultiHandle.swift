internal import CFerry

/// The libcurl multi handle that FoundationNetworking makes for the superclass of a session, and that Ferry never uses.
enum SystemMultiHandle {
    /// The number that the next descriptor of the process gets.
    static var nextDescriptor: Int32 { ferry_lowest_free_descriptor() }

    /// Keeps the handle's descriptors from child processes.
    ///
    /// FoundationNetworking does not show the handle, so it is found by reflection. A later version may have another
    /// layout; then two sockets of each session are inherited, and nothing else changes.
    ///
    /// - Parameters:
    ///   - session: A session that nobody uses yet.
    ///   - first: What ``nextDescriptor`` was before the session was made.
    static func closeOnExec(_ session: URLSession, since first: Int32) {
        var mirror: Mirror? = Mirror(reflecting: session)
        while let current = mirror, current.subjectType != URLSession.self { mirror = current.superclassMirror }
        guard let wrapper = mirror?.children.first(where: { $0.label == "multiHandle" })?.value,
            let handle = Mirror(reflecting: wrapper).children.first(where: { $0.label == "rawHandle" })?.value
                as? UnsafeMutableRawPointer
        else { return }
        ferry_multi_close_on_exec(handle, first)
    }
}
