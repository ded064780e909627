extension HTTPArchive {
    /// A request with its response.
    public struct Entry: Sendable, Hashable {
        /// The date and time at which the request was started, as written, such as `2026-01-31T12:00:00.000Z`.
        public var startedDateTime: String
        /// The duration in milliseconds.
        public var time: Double
        /// The request.
        public var request: Request
        /// The response; its status is 0 if there was none.
        public var response: Response
        /// The phases.
        public var timings: Timings
        /// The address of the server.
        public var serverIPAddress: String?
        /// The code of the `URLError` with which the request failed; nil if it did not.
        ///
        /// It is an extension of the format, the field `_errorCode`.
        public var errorCode: Int?
        /// A comment.
        public var comment: String?
        /// The format requires the field, but none of its members.
        private let cache = CacheUse()

        private struct CacheUse: Encodable, Hashable {}

        /// Creates an entry.
        public init(
            startDate: Date = Date(timeIntervalSince1970: 0),
            time: Double = 0,
            request: Request,
            response: Response,
            timings: Timings = Timings()
        ) {
            startedDateTime = startDate.archiveText
            self.time = time
            self.request = request
            self.response = response
            self.timings = timings
        }

        /// The date and time at which the request was started; nil if the text is not a date.
        public var startDate: Date? { Date(archiveText: startedDateTime) }
    }

    /// The phases of a request in milliseconds; -1 for one that did not occur or is unknown.
    public struct Timings: Sendable, Hashable {
        /// The time in a queue, and of earlier attempts and redirects.
        public var blocked = -1.0
        /// The time for the lookup of the host's name.
        public var dns = -1.0
        /// The time to connect, including ``ssl``.
        public var connect = -1.0
        /// The time to send the request.
        public var send = 0.0
        /// The time from then to the first byte of the response.
        public var wait = 0.0
        /// The time to receive the response.
        public var receive = 0.0
        /// The time of the TLS handshake.
        public var ssl = -1.0

        /// Creates the phases of a request that took no time.
        public init() {}
    }
}

extension HTTPArchive.Entry: Codable {
    private enum CodingKeys: String, CodingKey {
        case startedDateTime, time, request, response, cache, timings, serverIPAddress, comment
        case errorCode = "_errorCode"
    }

    /// Reads an entry.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        request = try values.decode(HTTPArchive.Request.self, forKey: .request)
        response = try values.decode(HTTPArchive.Response.self, forKey: .response)
        startedDateTime = values.text(.startedDateTime) ?? ""
        time = values.number(.time) ?? 0
        timings = (try? values.decode(HTTPArchive.Timings.self, forKey: .timings)) ?? HTTPArchive.Timings()
        serverIPAddress = values.text(.serverIPAddress)
        errorCode = values.count(.errorCode)
        comment = values.text(.comment)
    }
}

extension HTTPArchive.Timings: Codable {
    /// Reads the phases; a missing one is unknown.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        blocked = values.number(.blocked) ?? -1
        dns = values.number(.dns) ?? -1
        connect = values.number(.connect) ?? -1
        send = values.number(.send) ?? -1
        wait = values.number(.wait) ?? -1
        receive = values.number(.receive) ?? -1
        ssl = values.number(.ssl) ?? -1
    }
}

extension Date {
    /// The date in the format of archives, in UTC with milliseconds.
    var archiveText: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

    /// Reads a date in the format of archives, with or without a fraction of a second.
    init?(archiveText text: String) {
        // No date is longer.
        guard text.utf8.count <= 64 else { return nil }
        let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first else { return nil }
        self = date
    }
}
