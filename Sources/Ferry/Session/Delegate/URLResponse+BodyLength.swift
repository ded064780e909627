import Foundation

extension URLResponse {
    /// The number of body bytes to expect; nil if it is unknown, as for a body with a content coding.
    var bodyLength: Int64? {
        let coding = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding")
        guard coding.map({ $0.lowercased() == "identity" }) ?? true, expectedContentLength >= 0 else { return nil }
        return expectedContentLength
    }
}
