import Foundation

extension CompoundResponseSerializer: Codable {
    private enum Key: CodingKey {
        case responseSerializers, validation, maximumBytes, givesBody
    }

    /// Decodes a serializer.
    ///
    /// - Throws: `DecodingError` if a contained serializer has another output type, or if compound serializers are
    ///   nested more than 16 levels deep.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let depth = decoder.codingPath.count { $0.stringValue == Key.responseSerializers.stringValue }
        guard depth < 16 else {
            throw DecodingError.dataCorruptedError(
                forKey: .responseSerializers,
                in: container,
                debugDescription: "Compound serializers are nested more than 16 levels deep"
            )
        }
        let archived = try container.decode([ArchivedSerializer].self, forKey: .responseSerializers)
        let members = try archived.map { member -> any ResponseSerializer<Output> in
            if let typed = member.serializer as? any ResponseSerializer<Output> { return typed }
            let untyped = UntypedResponseSerializer(base: member.serializer)
            if let untyped = untyped as? any ResponseSerializer<Output> { return untyped }
            throw DecodingError.dataCorruptedError(
                forKey: .responseSerializers,
                in: container,
                debugDescription: "A contained serializer does not produce a value of type \(Output.self)"
            )
        }
        var body: (@Sendable (Data) -> Output)?
        if try container.decode(Bool.self, forKey: .givesBody) {
            body = Self.rawBody
            guard body != nil else {
                throw DecodingError.dataCorruptedError(
                    forKey: .givesBody,
                    in: container,
                    debugDescription: "The raw body is not a value of type \(Output.self)"
                )
            }
        }
        self.init(members, body: body)
        validation = try container.decode(Validation.self, forKey: .validation)
        maximumBytes = try container.decodeIfPresent(Int.self, forKey: .maximumBytes)
    }

    /// Encodes all settings.
    ///
    /// - Throws: `EncodingError` if there is a fallback closure, or if a contained serializer cannot be archived
    ///   because it has a closure or is not defined by this module.
    public func encode(to encoder: any Encoder) throws {
        guard !hasCustomFallback else {
            throw EncodingError.code(self, "the fallback of a compound serializer", at: encoder)
        }
        let archived = try responseSerializers.map { member -> ArchivedSerializer in
            if let member = ArchivedSerializer(member) { return member }
            throw EncodingError.code(member, "a \(type(of: member))", at: encoder)
        }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(archived, forKey: .responseSerializers)
        try container.encode(validation, forKey: .validation)
        try container.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
        try container.encode(givesBody, forKey: .givesBody)
    }

    /// Whether the serializer can be archived: it and the serializers in it have no closures.
    var isArchivable: Bool {
        !hasCustomFallback && responseSerializers.allSatisfy { ArchivedSerializer($0) != nil }
    }

    /// A closure that returns the body as the output type, or `nil` if the output type cannot hold `Data`.
    private static var rawBody: (@Sendable (Data) -> Output)? {
        guard let empty = Data() as? Output else { return nil }
        return { data in data as? Output ?? empty }
    }
}
