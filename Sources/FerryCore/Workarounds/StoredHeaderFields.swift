// For FoundationNetworking of Swift 6.3, whose initializer of `HTTPURLResponse` takes 14 µs for eight fields, a quarter
// of what a small request takes. `StoredHeaderFieldsTests` notices another layout of its objects.

/// The property of an `HTTPURLResponse` that has its header fields.
///
/// FoundationNetworking sets it in the initializer, which capitalizes each name with rules for every language, and then
/// lowercases all of them for each of three fields that it looks up. Fields whose names are spelled as it would spell
/// them are stored instead. Before the first use, a response that nothing else uses is changed to see whether it has
/// the fields then. If not, ``known`` is `nil`, and the initializer sets the fields.
package struct StoredHeaderFields: Sendable {
    /// The property in this process's version of FoundationNetworking; `nil` if its layout is not known.
    package static let known = StoredHeaderFields()

    private let offset: Int

    package init?(property: String = "_allHeaderFields") {
        guard let (offset, type) = StoredProperty.find(property, of: HTTPURLResponse.self),
            type == [String: String].self
        else { return nil }
        self.offset = offset
        let (url, fields) = (URL(fileURLWithPath: "/"), ["A-B": "c"])
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        guard let response, response.allHeaderFields.isEmpty else { return nil }
        store(fields, in: response)
        guard response.allHeaderFields as? [String: String] == fields else { return nil }
    }

    /// Sets the fields of a response that was made without any, and that nothing else uses yet.
    func store(_ fields: [String: String], in response: HTTPURLResponse) {
        let address = Unmanaged.passUnretained(response).toOpaque() + offset
        address.assumingMemoryBound(to: [String: String].self).pointee = fields
    }
}
