/// A complete response that is stored unless the task's delegate refuses it.
package final class CacheCandidate: Sendable {
    private let response: ReceivedResponse
    private let stored: StoredResponse
    private let body: CollectedBody
    private let ticket: CacheTicket
    private let isSettled = Mutex(false)
    /// Returns the selecting names and the variant of a response with a head; `nil` if it may not be stored.
    private let select: @Sendable (ResponseHead) -> (names: [String], variant: String)?

    package init(
        _ stored: StoredResponse,
        _ body: CollectedBody,
        response: ReceivedResponse,
        _ ticket: CacheTicket,
        select: @escaping @Sendable (ResponseHead) -> (names: [String], variant: String)?
    ) {
        (self.stored, self.body, self.response, self.ticket) = (stored, body, response, ticket)
        self.select = select
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
        // The stored response is older than the one that the delegate refuses.
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
        guard let selection = select(changed.head) else { return ticket.cache.remove(stored.key) }
        (changed.selectingNames, changed.variant) = selection
        let newBody = isSameBody ? body : .data(answer.data)
        ticket.store(changed, newBody, inMemoryOnly: inMemoryOnly)
    }
}
