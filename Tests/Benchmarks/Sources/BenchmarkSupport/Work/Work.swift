/// The work that a client does; the raw value is the word on its command line.
public enum Work: String, Codable, Sendable, CaseIterable {
    /// Small requests, some concurrently, each body checked by its size.
    case requests
    /// The same for a long time, to compare the costs of the first thousands and of the last ones.
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
    /// An upload from a sequence that is produced during the upload, with a length.
    case uploadSequence = "upload-sequence"
    /// The same without a length, in chunks.
    case uploadChunks = "upload-chunks"
    /// Small writes at a steady rate, into the body of one upload.
    case writes
    /// Only the waiting between such writes, without a client.
    case pace
    /// Messages over a WebSocket that returns them, one at a time.
    case echo
    /// The same, sent and received at once.
    case echoStream = "echo-stream"
    /// Connections on which nothing happens.
    case idle
}
