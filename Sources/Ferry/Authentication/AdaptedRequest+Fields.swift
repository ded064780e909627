extension AdaptedRequest {
    /// Sets one field, replacing the request's field of the same name.
    package mutating func setHeader(_ field: HTTPHeader) throws {
        try field.validate()
        setValue(field.value, forHTTPHeaderField: field.name)
    }
}
