import FerrySession

/// The callbacks that a delegate received for one task, in order.
struct TaskRecord: Sendable {
    /// One callback.
    enum Event: Sendable, Equatable {
        case response(Int)
        case data(Int)
        case sent(Int64, total: Int64, expected: Int64)
        case redirect(Int, URL?)
        case needsBodyStream
        case becameDownload
        case wrote(Int64, total: Int64, expected: Int64)
        case finishedDownload
        case completed(URLError.Code?)

        /// The callback's name, without its arguments.
        var name: String {
            switch self {
            case .response: "response"
            case .data: "data"
            case .sent: "sent"
            case .redirect: "redirect"
            case .needsBodyStream: "needsBodyStream"
            case .becameDownload: "becameDownload"
            case .wrote: "wrote"
            case .finishedDownload: "finishedDownload"
            case .completed: "completed"
            }
        }
    }

    var events: [Event] = []
    var data = Data()
    /// The content of a download's file during `didFinishDownloadingTo`.
    var file: Data?
    var fileURL: URL?
    var error: (any Error)?
    var completions = 0
    var completedAt: ContinuousClock.Instant?
    var lastFraction = 0.0

    /// The names of the callbacks, with equal neighbors merged.
    var names: [String] {
        events.map(\.name).reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
    }

    var urlError: URLError? { error as? URLError }

    var sentTotals: [Int64] { events.compactMap { if case .sent(_, let total, _) = $0 { total } else { nil } } }

    var wroteTotals: [Int64] { events.compactMap { if case .wrote(_, let total, _) = $0 { total } else { nil } } }
}
