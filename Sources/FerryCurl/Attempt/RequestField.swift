package struct RequestField: Hashable, Sendable {
    package let name: String
    /// The value; `nil` for a field that libcurl would add by itself, and that is not sent.
    package let value: String?

    package init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }

    /// The field as a line for libcurl.
    package var line: String {
        guard let value else { return "\(name):" }
        // libcurl takes a name with a colon and nothing behind it for a field that must be dropped.
        let isBlank = value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
        return isBlank ? "\(name);" : "\(name): \(value)"
    }

    /// The number of bytes of the field in a header.
    var size: Int { name.utf8.count + 2 + (value?.utf8.count ?? 0) }
}
