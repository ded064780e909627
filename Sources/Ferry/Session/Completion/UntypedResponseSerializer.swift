import Foundation

/// A response serializer whose value type is known only at run time, such as the manager's own.
struct UntypedResponseSerializer: ResponseSerializer {
    /// The wrapped serializer.
    let base: any ResponseSerializer

    var maximumBytes: Int? { base.maximumBytes }

    func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<any Sendable> {
        run(base, request: request, response: response, data: data)
    }

    private func run<Base: ResponseSerializer>(
        _ base: Base,
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> SerializedResponse<any Sendable> {
        let result = base.serialize(request: request, response: response, data: data)
        return SerializedResponse(value: result.value, error: result.error)
    }
}
