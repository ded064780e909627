/// The work that a client does; the raw value is the word on its command line.
public enum Work: String, Codable, Sendable, CaseIterable {
    /// Small requests, some concurrently, each body checked by its size.
    case requests
    /// The same for long, to compare the cost of the first thousands with that of the last.
    case endurance
    /// Tasks that are created and never resumed.
    case suspended
    /// One body written to a file.
    case download
    /// One body read and discarded.
    case discard
    /// Uploads of a file.
    case upload
    /// Uploads of bytes in memory.
    case uploadData = "upload-data"
    /// One file as a part of a multipart form.
    case multipart
    /// JSON fetched and decoded.
    case json
    /// JSON decoded from memory, without a client.
    case decode
}
