/// Where a request's body comes from.
enum BodySource: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// A stream that can be read once; if it is needed again, the delegate is asked for a new one.
    case stream(StreamBox)
    /// A stream that the delegate provides.
    case delegateStream

    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Whether there is no body, or an empty one in memory.
    var isEmpty: Bool {
        switch self {
        case .none: true
        case .data(let data): data.isEmpty
        case .file, .stream, .delegateStream: false
        }
    }
}

/// Carries an `InputStream` from the thread that provides it to the one that reads it.
///
/// `@unchecked Sendable`: after it is boxed, only its ``StreamPump``'s thread touches the stream.
final class StreamBox: @unchecked Sendable {
    let stream: InputStream

    init(_ stream: InputStream) {
        self.stream = stream
    }

    convenience init?(optional stream: InputStream?) {
        guard let stream else { return nil }
        self.init(stream)
    }
}
