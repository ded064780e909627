extension DataStream {
    /// The lines of the body as they arrive, each of at most 1 MiB; `BodyLines` takes another limit.
    ///
    /// ```swift
    /// for try await line in manager.stream(.get("log")).lines { print(line) }
    /// ```
    public var lines: BodyLines<DataStream> { BodyLines(self) }

    /// The body as server-sent events as they arrive, each of at most 16 MiB.
    ///
    /// Until the server sends an identifier, the events have that of the field `Last-Event-ID` of the stream's request.
    /// `ServerSentEvents` takes other limits, and another identifier.
    ///
    /// ```swift
    /// for try await event in manager.stream(.get("events")).events {
    ///     print(event.data)
    /// }
    /// ```
    public var events: ServerSentEvents<DataStream> { ServerSentEvents(self, lastEventID: lastEventID) }
}
