/// The messages that wait for the program, and the calls that wait for messages.
struct MessageInbox {
    /// The number of bytes of messages that may wait; a larger message waits alone.
    private static let capacity = 65_536
    /// The least number of bytes that a message counts, since an empty one takes memory too.
    private static let smallest = 64

    typealias Handler = @Sendable (Result<WebSocketTask.Message, any Error>) -> Void
    typealias Receiver = (number: Int, handler: Handler)

    private(set) var messages = FIFOQueue<WebSocketTask.Message>()
    private var size = 0
    private var lastNumber = 0
    /// The calls that wait, in order.
    var receivers: [Receiver] = []
    /// The reader of the connection, which waits until there is room.
    private var room: CheckedContinuation<Void, Never>?
    /// The number of times that the reader has begun or ended to wait.
    private(set) var changes = 0

    /// Returns whether the reader waits for room, or has waited since ``changes`` had a value.
    func hasWaited(since changes: Int) -> Bool { room != nil || self.changes != changes }

    var isFull: Bool { size >= Self.capacity }

    mutating func nextNumber() -> Int {
        lastNumber &+= 1
        return lastNumber
    }

    /// Adds a message, or returns the handler of the call that receives it.
    mutating func add(_ message: WebSocketTask.Message) -> Handler? {
        if !receivers.isEmpty { return receivers.removeFirst().handler }
        messages.append(message)
        size += max(Self.smallest, message.size)
        return nil
    }

    mutating func take() -> WebSocketTask.Message? {
        guard let message = messages.popFirst() else { return nil }
        size -= max(Self.smallest, message.size)
        return message
    }

    mutating func removeReceiver(_ number: Int) -> Handler? {
        guard let index = receivers.firstIndex(where: { $0.number == number }) else { return nil }
        return receivers.remove(at: index).handler
    }

    /// Makes the reader wait until there is room.
    mutating func wait(_ reader: CheckedContinuation<Void, Never>) {
        room = reader
        changes &+= 1
    }

    mutating func takeRoom() -> CheckedContinuation<Void, Never>? {
        guard let reader = room else { return nil }
        room = nil
        changes &+= 1
        return reader
    }

    mutating func takeRoomIfFree() -> CheckedContinuation<Void, Never>? { isFull ? nil : takeRoom() }
}

/// Calls that wait for an event that happens once.
struct Waiters {
    var continuations: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastNumber = 0

    mutating func nextNumber() -> Int {
        lastNumber &+= 1
        return lastNumber
    }

    /// Removes and returns all calls, in the order in which they began to wait.
    mutating func take() -> [CheckedContinuation<Void, Never>] {
        defer { continuations = [:] }
        return continuations.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// The pings that are not answered yet, in the order in which they were sent.
struct PingList {
    private var pings: [(payload: Data, continuation: CheckedContinuation<Void, any Error>)] = []

    mutating func add(_ payload: Data, _ continuation: CheckedContinuation<Void, any Error>) {
        pings.append((payload, continuation))
    }

    /// Removes the pings that a pong answers: a server may answer only the last of several (RFC 6455, section 5.5.3).
    mutating func take(through payload: Data) -> [CheckedContinuation<Void, any Error>] {
        guard let index = pings.firstIndex(where: { $0.payload == payload }) else { return [] }
        let answered = pings[...index].map(\.continuation)
        pings.removeFirst(index + 1)
        return answered
    }

    mutating func remove(_ payload: Data) -> CheckedContinuation<Void, any Error>? {
        guard let index = pings.firstIndex(where: { $0.payload == payload }) else { return nil }
        return pings.remove(at: index).continuation
    }

    mutating func takeAll() -> [CheckedContinuation<Void, any Error>] {
        defer { pings = [] }
        return pings.map(\.continuation)
    }
}
