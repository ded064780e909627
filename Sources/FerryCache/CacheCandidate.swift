/// A complete response that is stored unless the task's delegate refuses it.
package final class CacheCandidate: Sendable {
    private let response: ReceivedResponse
    private let stored: StoredResponse
    private let body: CollectedBody
    private let ticket: CacheTicket
    private let isSettled = Mutex(false)

    package init(_ stored: StoredResponse, _ body: CollectedBody, response: ReceivedResponse, _ ticket: CacheTicket) {
        (self.stored, self.body, self.response, self.ticket) = (stored, body, response, ticket)
    }

    /// Stores the response as received.
    package func store() {
        guard isSettled.claim() else { return }
        ticket.store(stored, body)
    }

    /// Returns the response to propose to the delegate, or `nil` if its body cannot be read.
    package func proposal() -> CachedURLResponse? {
        body.data.map { CachedURLResponse(response: response.value, data: $0, userInfo: nil, storagePolicy: .allowed) }
    }

    /// Stores the delegate's version of the proposal; only the first answer counts.
    package func store(_ answer: CachedURLResponse?, insteadOf proposal: CachedURLResponse) {
        guard isSettled.claim() else { return }
        // What is stored is older than the response that the delegate refuses.
        guard let answer, answer.storagePolicy != .notAllowed else { return ticket.cache.remove(stored.key) }
        let inMemoryOnly = answer.storagePolicy == .allowedInMemoryOnly
        if answer === proposal {
            return ticket.store(stored, body, inMemoryOnly: inMemoryOnly)
        }
        let isSameBody = answer.data == proposal.data
        var changed = stored
        if let response = answer.response as? HTTPURLResponse, response !== proposal.response {
            changed.head.status = response.statusCode
            changed.head.fields = response.allHeaderFields.map { .init(name: "\($0.key.base)", value: "\($0.value)") }
        }
        if !isSameBody {
            changed.head.fields.removeAll { $0.name.lowercased() == "content-length" }
            changed.head.fields.append(.init(name: "Content-Length", value: "\(answer.data.count)"))
        }
        let newBody = isSameBody ? body : .data(answer.data)
        ticket.store(changed, newBody, inMemoryOnly: inMemoryOnly)
    }
}
