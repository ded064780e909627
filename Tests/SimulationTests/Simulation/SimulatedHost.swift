/// A request as a simulated host has received it.
struct SimulatedRequest: Sendable {
    var method: String
    var scheme: String
    var host: String
    /// The path and the query.
    var target: String
    var fields: [(name: String, value: String)]
    var body: [UInt8]
    /// The time of its arrival, in simulated seconds.
    var time: Double
    /// The number of the connection.
    var connection: Int

    func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// How a simulated host responds.
struct SimulatedResponse: Sendable {
    /// The end of the response; `after` is a number of bytes of the body, or negative for an end before the head.
    enum End: Sendable, Hashable {
        case complete
        /// The response is complete, and the connection closes.
        case closes
        case close(after: Int)
        case reset(after: Int)
        /// Nothing more arrives, and the connection stays open.
        case stall(after: Int)

        var count: Int? {
            switch self {
            case .complete, .closes: nil
            case .close(let count), .reset(let count), .stall(let count): count
            }
        }
    }

    var status = 200
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var end = End.complete
    /// The seconds before the head is sent.
    var delay = 0.05
    var pieceSize = 16_384
    /// The seconds between two pieces of the body.
    var pieceDelay = 0.01
    /// Whether the head has the length of the body; otherwise the body is chunked.
    var hasLength = true

    init(_ status: Int = 200, _ body: [UInt8] = [], fields: [(name: String, value: String)] = []) {
        (self.status, self.body, self.fields) = (status, body, fields)
    }

    static func text(_ text: String) -> SimulatedResponse { SimulatedResponse(200, Array(text.utf8)) }
}

/// How a connection to a simulated host is opened.
struct SimulatedPath: Sendable {
    enum Outcome: Sendable, Hashable { case opens, refused, nameNotFound, silent }

    var outcome = Outcome.opens
    /// The seconds for looking up the name and connecting.
    var lookupTime = 0.01
    var connectTime = 0.02
}

/// A host of the simulated network; its code runs on the threads of engines and must not wait.
struct SimulatedHost: Sendable {
    /// Returns how the next connection is opened.
    var path: @Sendable () -> SimulatedPath = { SimulatedPath() }
    /// Returns the seconds until a request has arrived, or `nil` if its connection is lost before.
    var uploadTime: @Sendable (_ bytes: Int) -> Double? = { _ in 0.01 }
    var respond: @Sendable (SimulatedRequest) -> SimulatedResponse
}
