import Ferry

// The body that the items after the URL make.
extension UploadBody {
    /// Returns a JSON object of the items, or a form if they have files or a form is wanted.
    static func items(_ options: FetchOptions) throws(CommandFailure) -> UploadBody {
        let items = options.items.filter(\.isData)
        guard options.sendsItemsAsForm else { return .data(try json(items), type: "application/json") }
        if items.contains(where: \.isFile) { return .form(try form(try items.map(formField))) }
        let pairs = try items.map { (item) throws(CommandFailure) in
            let (name, data) = try content(item)
            return QueryText.encoded(name.utf8) + "=" + QueryText.encoded(data)
        }
        return .data(Data(pairs.joined(separator: "&").utf8), type: "application/x-www-form-urlencoded")
    }

    /// Returns an object with the items in their order; a name that occurs again has its last value.
    private static func json(_ items: [RequestItem]) throws(CommandFailure) -> Data {
        var names: [String] = []
        var values: [String: String] = [:]
        for item in items {
            let (name, data) = try content(item)
            let text = try text(of: data, item)
            if values[name] == nil { names.append(name) }
            switch item {
            case .json: values[name] = text
            case .jsonFile(_, let path):
                // JSON that is sent has no byte order mark (RFC 8259, section 8.1).
                let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
                let text = data.starts(with: mark) ? String(decoding: data.dropFirst(mark.count), as: UTF8.self) : text
                guard isJSON(text) else { throw CommandFailure(.file, "\(path): it is not JSON") }
                values[name] = text
            default: values[name] = JSONLine.Value.string(text).json
            }
        }
        let members = names.map { JSONLine.Value.string($0).json + ":" + (values[$0] ?? "null") }
        return Data(("{" + members.joined(separator: ",") + "}").utf8)
    }

    /// Returns the data of an item as text.
    private static func text(of data: Data, _ item: RequestItem) throws(CommandFailure) -> String {
        switch item {
        case .textFile(_, let path), .jsonFile(_, let path), .file(_, let path): try text(of: data, path)
        case .field, .query, .text, .json: String(decoding: data, as: UTF8.self)
        }
    }

    static func isJSON(_ text: String) -> Bool { (try? JSONValue(json: text)) != nil }

    private static func formField(_ item: RequestItem) throws(CommandFailure) -> FormField {
        switch item {
        // The file may be followed by its type and name, as with -F.
        case .file(let name, let path):
            do throws(UsageError) {
                return try FormField(parsing: name + "=@" + path)
            } catch {
                throw CommandFailure(.usage, error.message)
            }
        case .textFile(let name, let path): return FormField(name: name, content: .textFile(path))
        default:
            let (name, data) = try content(item)
            return FormField(name: name, content: .text(String(decoding: data, as: UTF8.self)))
        }
    }

    private static func content(_ item: RequestItem) throws(CommandFailure) -> (name: String, data: Data) {
        switch item {
        case .field(let name, let text), .query(let name, let text), .text(let name, let text),
            .json(let name, let text):
            (name, Data(text.utf8))
        case .textFile(let name, let path), .jsonFile(let name, let path), .file(let name, let path):
            (name, try content(path))
        }
    }
}
