/// A complete response that is stored unless the task's delegate refuses it.
final class CacheCandidate: Sendable {
    private let response: ReceivedResponse
    private let stored: StoredResponse
    private let body: CollectedBody
    private let cache: HTTPCache
    private let isSettled = Mutex(false)

    init(_ stored: StoredResponse, _ body: CollectedBody, response: ReceivedResponse, cache: HTTPCache) {
        (self.stored, self.body, self.response, self.cache) = (stored, body, response, cache)
    }

    /// Stores the response as received.
    func store() {
        guard claim() else { return }
        cache.store(stored, body)
    }

    /// Returns the response to propose to the delegate, or `nil` if its body cannot be read.
    func proposal() -> CachedURLResponse? {
        body.data.map { CachedURLResponse(response: response.value, data: $0, userInfo: nil, storagePolicy: .allowed) }
    }

    /// Stores the delegate's version of the proposal; only the first answer counts.
    func store(_ answer: CachedURLResponse?, insteadOf proposal: CachedURLResponse) {
        guard claim() else { return }
        guard let answer, answer.storagePolicy != .notAllowed else {
            // What is stored is older than the response that the delegate refuses.
            return cache.remove(stored.key)
        }
        let inMemoryOnly = answer.storagePolicy == .allowedInMemoryOnly
        if answer === proposal { return cache.store(stored, body, inMemoryOnly: inMemoryOnly) }
        let isSameBody = answer.data == proposal.data
        let changed = changed(answer, proposal, isSameBody: isSameBody)
        cache.store(changed, isSameBody ? body : .data(answer.data), inMemoryOnly: inMemoryOnly)
    }

    private func claim() -> Bool {
        isSettled.withLock { isSettled in
            defer { isSettled = true }
            return !isSettled
        }
    }

    private func changed(
        _ answer: CachedURLResponse,
        _ proposal: CachedURLResponse,
        isSameBody: Bool
    ) -> StoredResponse {
        var changed = stored
        if let response = answer.response as? HTTPURLResponse, response !== proposal.response {
            changed.head.status = response.statusCode
            changed.head.fields = response.allHeaderFields.map { .init(name: "\($0.key.base)", value: "\($0.value)") }
        }
        if !isSameBody {
            changed.head.fields.removeAll { $0.name.lowercased() == "content-length" }
            changed.head.fields.append(.init(name: "Content-Length", value: "\(answer.data.count)"))
        }
        return changed
    }
}
