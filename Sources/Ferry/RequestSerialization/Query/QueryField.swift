import Foundation

/// A key and its value, not yet percent-encoded.
struct QueryField: Equatable {
    /// The value: a text, bytes, several texts to join with commas, or none (the key without `=`).
    enum Value: Equatable {
        case none
        case text(String)
        case data(Data)
        case joined([String])
    }

    let key: String
    let value: Value

    /// The texts to join with commas, or `nil` if there is no value; bytes are base64-encoded.
    var texts: [String]? {
        switch value {
        case .none: nil
        case .text(let text): [text]
        case .data(let data): [data.base64EncodedString()]
        case .joined(let texts): texts
        }
    }
}
