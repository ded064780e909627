import Ferry

/// The result of one transfer.
struct FetchResult: Sendable {
    /// A partial file that can be continued.
    struct Remainder: Equatable, Sendable {
        var path: String
        var size: Int64
        var length: Int64?
    }

    /// The index of the URL, from 0.
    let index: Int
    var failure: CommandFailure?
    var remainder: Remainder?
    /// The completed file.
    var file: String?
}
