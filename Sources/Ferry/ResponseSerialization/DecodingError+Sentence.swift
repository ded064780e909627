import Foundation

extension DecodingError {
    /// A description of the error and its place, such as `user.tags[2]: expected String but found null`.
    var sentence: String {
        switch self {
        case .typeMismatch(let type, let context):
            "\(context.place): expected \(type). \(context.debugDescription)"
        case .valueNotFound(let type, let context):
            "\(context.place): expected \(type) but found null"
        case .keyNotFound(let key, let context):
            "\(context.place): the key \"\(key.stringValue)\" is missing"
        case .dataCorrupted(let context):
            "\(context.place): \(context.debugDescription)\(context.cause)"
        @unknown default:
            "\(self)"
        }
    }
}

extension DecodingError.Context {
    /// The coding path in Swift's notation, such as `user.tags[2]`.
    fileprivate var place: String {
        var path = ""
        for key in codingPath {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path.isEmpty ? "at the top level" : path
    }

    /// The parser's description of the error, in parentheses.
    fileprivate var cause: String {
        guard let underlyingError else { return "" }
        let details = (underlyingError as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
        return " (\(details ?? underlyingError.localizedDescription))"
    }
}
