/// The handles of libcurl that are kept for the next requests.
struct IdleHandles {
    private static let limit = 64

    private let areReusable: Bool
    private var handles: [EasyHandle] = []

    init(versionNumber: Int) { areReusable = EasyHandle.areReusable(versionNumber: versionNumber) }

    /// Returns a handle that was kept or, if there is none, a new one; `nil` if there is no memory for it.
    mutating func take() -> EasyHandle? { handles.popLast() ?? EasyHandle() }

    /// Keeps a handle that belongs to no multi handle, unless enough are kept.
    mutating func keep(_ easy: EasyHandle) {
        guard handles.count < Self.limit, easy.reset(isReusable: areReusable) else { return }
        handles.append(easy)
    }

    mutating func removeAll() { handles = [] }
}
