import Ferry

// The body that the items after the URL make.
extension UploadBody {
    /// Returns a JSON object of the items, or a form if they have files or a form is wanted.
    static func items(_ options: FetchOptions) throws(CommandFailure) -> UploadBody {
        let items = options.items.filter(\.isData)
        guard options.sendsItemsAsForm else { return .data(try json(items), type: "application/json") }
        if items.contains(where: { $0.kind == .file }) { return .form(try form(try items.map(formField))) }
        let pairs = try items.map { (item) throws(CommandFailure) in
            QueryText.encoded(item.name.utf8) + "=" + QueryText.encoded(try content(item))
        }
        return .data(Data(pairs.joined(separator: "&").utf8), type: "application/x-www-form-urlencoded")
    }

    /// Returns an object with the items in their order; a name that occurs again has its last value.
    private static func json(_ items: [RequestItem]) throws(CommandFailure) -> Data {
        var names: [String] = []
        var values: [String: String] = [:]
        for item in items {
            var text = item.hasPath ? try text(of: try content(item), item.value) : item.value
            switch item.kind {
            case .json: break
            case .jsonFile:
                // JSON that is sent has no byte order mark (RFC 8259, section 8.1).
                text = text.withoutByteOrderMark
                guard isJSON(text) else { throw CommandFailure(.file, "\(item.value): it is not JSON") }
            default: text = JSONLine.Value.string(text).json
            }
            if values.updateValue(text, forKey: item.name) == nil { names.append(item.name) }
        }
        let members = names.map { JSONLine.Value.string($0).json + ":" + (values[$0] ?? "null") }
        return Data(("{" + members.joined(separator: ",") + "}").utf8)
    }

    static func isJSON(_ text: String) -> Bool { (try? JSONValue(json: text)) != nil }

    private static func formField(_ item: RequestItem) throws(CommandFailure) -> FormField {
        switch item.kind {
        // The file may be followed by its type and name, as with -F.
        case .file:
            do throws(UsageError) {
                return try FormField(parsing: item.name + "=@" + item.value)
            } catch {
                throw CommandFailure(.usage, error.message)
            }
        case .textFile: return FormField(name: item.name, content: .textFile(item.value))
        default: return FormField(name: item.name, content: .text(item.value))
        }
    }

    private static func content(_ item: RequestItem) throws(CommandFailure) -> Data {
        item.hasPath ? try content(item.value) : Data(item.value.utf8)
    }
}
