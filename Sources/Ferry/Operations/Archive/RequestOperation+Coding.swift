import FerrySession

extension RequestOperation {
    /// The key under which a keyed archive holds the ``archivedData()``.
    static let archiveKey = "ferry.operation"

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Archives the operation: request, state, response, error, body, byte count, and serializer where that is possible.
    ///
    /// An operation that is running is paused first, and stays so; it is archived as a ready one. It goes on where it
    /// stopped when it is made again, also in another process. The archive holds the request's header fields and is as
    /// confidential as they are.
    ///
    /// - Returns: What ``init(archivedData:manager:)`` takes.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/encodingFailed`` for a request whose body is a stream.
    public func archivedData() throws(NetworkError) -> Data {
        if isExecuting { pause() }
        return try OperationArchive(record.withLock { $0 }, serializer: archivedSerializer).encoded()
    }

    /// Archives the operation in a keyed archive.
    ///
    /// One that cannot be archived, see ``archivedData()``, leaves nothing there: reading it is an error.
    ///
    /// - Parameter coder: The archiver.
    public func encode(with coder: NSCoder) {
        do {
            coder.encode(NSData(data: try archivedData()), forKey: Self.archiveKey)
        } catch {
            // Under the other policy a failure ends the process.
            if coder.decodingFailurePolicy == .setErrorAndReturn { coder.failWithError(error) }
        }
    }
}
