import FerrySession

/// A response serializer of which only the type of its value is known.
struct ErasedResponseSerializer<Output: Sendable>: ResponseSerializer {
    /// The serializer.
    let base: any ResponseSerializer<Output>

    var maximumBytes: Int? { base.maximumBytes }

    func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output> {
        base.serialize(request: request, response: response, data: data)
    }
}
