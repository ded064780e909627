/// A response serializer whose value type is known only at run time, such as the manager's own.
package struct UntypedResponseSerializer: ResponseSerializer {
    package let base: any ResponseSerializer

    package init(base: any ResponseSerializer) { self.base = base }

    package var maximumBytes: Int? { base.maximumBytes }

    package func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<any Sendable> {
        func run(_ base: some ResponseSerializer) -> SerializedResponse<any Sendable> {
            let result = base.serialize(response)
            return SerializedResponse(value: result.value, error: result.error)
        }
        return run(base)
    }
}
