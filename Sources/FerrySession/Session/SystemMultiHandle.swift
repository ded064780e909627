internal import CFerry

/// The libcurl multi handle that FoundationNetworking makes for a session's superclass and that Ferry never uses.
enum SystemMultiHandle {
    /// The number that the next descriptor of the process will get.
    static var nextDescriptor: Int32 { ferry_lowest_free_descriptor() }

    /// Keeps child processes from inheriting the handle's descriptors.
    ///
    /// FoundationNetworking does not expose the handle, so it is found by reflection. If a later version has another
    /// layout, two sockets of each session are inherited, and nothing else changes.
    ///
    /// - Parameters:
    ///   - session: A session that is not in use yet.
    ///   - first: The value of ``nextDescriptor`` before the session was made.
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
