import Foundation

extension URL {
    /// Returns the absolute URL with a percent-encoded query appended to its existing query, before the fragment.
    func appendingQuery(_ query: String) throws -> URL {
        let text = absoluteString
        guard !query.isEmpty else { return self }
        let fragment = text.firstIndex(of: "#") ?? text.endIndex
        let head = text[..<fragment]
        let separator =
            switch head.last {
            case _ where !head.contains("?"): "?"
            case "?", "&": ""
            default: "&"
            }
        guard let url = URL(string: head + separator + query + text[fragment...]) else {
            let reason = "The query cannot be appended to the URL."
            throw RequestSerializationError(.invalidURL, reason: reason, failingURL: text)
        }
        return url
    }
}
