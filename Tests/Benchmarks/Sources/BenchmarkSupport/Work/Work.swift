/// What a client is asked to do; the raw value is the word on its command line.
public enum Work: String, Codable, Sendable, CaseIterable {
    /// Small requests, some in flight, each body checked by its size.
    case requests
    /// The same for long: the cost of the first thousands against that of the last ones.
    case endurance
    /// Tasks that are made and never resumed.
    case suspended
    /// One body to a file.
    case download
    /// One body that is read and discarded.
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
