import Foundation

extension RequestOperation {
    /// The key of the ``archivedData()`` in a keyed archive.
    static let archiveKey = "ferry.operation"

    /// A Boolean value that indicates whether the class supports secure coding; always true.
    public static var supportsSecureCoding: Bool { true }

    /// Archives the operation: its request, state, response, error, body, byte count and, where possible, serializer.
    ///
    /// A running operation is paused first and stays paused; it is archived as a ready one. An operation made from the
    /// archive, in the same or another process, continues where this one stopped. The archive contains the request's
    /// header fields and is as confidential as they are.
    ///
    /// - Returns: The archive, for ``init(archivedData:manager:)``.
    /// - Throws: ``NetworkError`` with ``NetworkError/Code/encodingFailed`` if the request cannot be archived, for
    ///   example because its body is a stream.
    public func archivedData() throws(NetworkError) -> Data {
        if isExecuting { pause() }
        return try OperationArchive(record.withLock { $0 }, serializer: archivedSerializer).encoded()
    }

    /// Archives the operation in a keyed archive.
    ///
    /// If the operation cannot be archived (see ``archivedData()``), nothing is encoded, and decoding the archive
    /// fails.
    ///
    /// - Parameter coder: The archiver.
    public func encode(with coder: NSCoder) {
        do {
            coder.encode(NSData(data: try archivedData()), forKey: Self.archiveKey)
        } catch {
            // Under the other policy, `failWithError` ends the process.
            if coder.decodingFailurePolicy == .setErrorAndReturn { coder.failWithError(error) }
        }
    }
}
