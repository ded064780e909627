import FerrySession

extension URLResponse {
    /// The number of body bytes to come; nil if it is unknown, as for a coded body whose length says nothing.
    var bodyLength: Int64? {
        let coding = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding")
        guard coding.map({ $0.lowercased() == "identity" }) ?? true, expectedContentLength >= 0 else { return nil }
        return expectedContentLength
    }
}
