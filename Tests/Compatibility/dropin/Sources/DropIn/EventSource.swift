import EventSource
import FerrySession

/// Returns the data of all events, which the code of the article prints; each is also signalled when it arrives.
func eventSourceEvents(at url: URL, signalling arrival: DispatchSemaphore) async throws -> [String] {
    var events: [String] = []
    func print(_ event: String) {
        events.append(event)
        arrival.signal()
    }

    let session = CurlSession(configuration: .default)
    let (bytes, _) = try await session.bytes(from: url, delegate: nil)
    for try await event in AsyncServerSentEventsSequence(base: bytes) {
        print(event.data)
    }
    return events
}
