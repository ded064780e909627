import FerrySession

/// The callbacks that a delegate received for one task, in order.
package struct TaskRecord: Sendable {
    /// One callback.
    package enum Event: Sendable, Equatable {
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
        package var name: String {
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

    package var events: [Event] = []
    package var response: HTTPURLResponse?
    package var data = Data()
    /// The number of bytes that were delivered, or written to a download's file.
    package var received: Int64 = 0
    /// The content of a download's file during `didFinishDownloadingTo`, and its permissions.
    package var file: Data?
    package var permissions: Int?
    package var fileURL: URL?
    package var error: URLError?
    package var completions = 0
    package var completedAt: ContinuousClock.Instant?
    package var lastFraction = 0.0

    /// The names of the callbacks, with equal neighbors merged.
    package var names: [String] {
        events.map(\.name).reduce(into: []) { names, name in
            if names.last != name { names.append(name) }
        }
    }

    package var text: String { String(decoding: data, as: UTF8.self) }

    package var status: Int? { response?.statusCode }

    /// Ferry's error that caused ``error``.
    package var underlying: CurlSessionError? { error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError }

    /// `totalBytesSent` as passed to the callbacks.
    package var sentTotals: [Int64] { events.compactMap { if case .sent(_, let total, _) = $0 { total } else { nil } } }

    package var wroteTotals: [Int64] {
        events.compactMap { if case .wrote(_, let total, _) = $0 { total } else { nil } }
    }
}
