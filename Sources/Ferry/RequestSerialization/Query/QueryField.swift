import FerrySession

/// A key and what belongs to it, before any escaping.
struct QueryField: Equatable {
    /// The value: a text, bytes, several texts joined with commas, or nothing (a key alone).
    enum Value: Equatable {
        case none
        case text(String)
        case data(Data)
        case joined([String])
    }

    let key: String
    let value: Value

    /// The texts to be joined with commas, or `nil` for a key alone.
    var texts: [String]? {
        switch value {
        case .none: nil
        case .text(let text): [text]
        case .data(let data): [data.base64EncodedString()]
        case .joined(let texts): texts
        }
    }
}
