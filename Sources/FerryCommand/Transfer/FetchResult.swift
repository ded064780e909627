import Ferry

/// How one transfer ended.
struct FetchResult: Sendable {
    /// A partial file that was left to be continued.
    struct Remainder: Equatable, Sendable {
        var path: String
        var size: Int64
        var length: Int64?
    }

    /// The number of the URL, from 0.
    let index: Int
    var failure: CommandFailure?
    var remainder: Remainder?
    /// The file that is whole now.
    var file: String?
}
