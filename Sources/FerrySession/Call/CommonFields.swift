/// The header fields that the requests of a session have besides their own.
struct CommonFields: Sendable {
    private let decodesContent: Bool
    /// The names, in lower case, of fields that are not added to requests.
    private let omitted: Set<String>
    /// The `User-Agent` field, which nearly every request has.
    private let userAgent: RequestField
    /// The fields of a request that has no own field and no body.
    private(set) var plain: [RequestField] = []

    init(_ options: CurlSession.Options) {
        decodesContent = options.decodesContent
        omitted = Set(options.omittedHeaders.map { $0.lowercased() })
        userAgent = RequestField("User-Agent", Self.userAgent)
        plain = all([], "GET", PreparationContext())
    }

    /// Returns a request's own fields, those that Ferry adds, and those that libcurl must not add.
    func all(_ own: [HeaderField], _ method: String, _ context: PreparationContext) -> [RequestField] {
        var fields: [RequestField] = []
        fields.reserveCapacity(own.count + 4)
        // Few names are looked for, and a set of all would allocate.
        func has(_ name: String) -> Bool { own.contains { $0.name.isEqualIgnoringCase(name) } }
        for (name, value) in own { fields.append(RequestField(name, value)) }
        if !has("user-agent"), !omitted.contains("user-agent") { fields.append(userAgent) }
        // The length of what is sent after a 101 is not a part of the request.
        if context.isUpgrade { fields.append(RequestField("Transfer-Encoding", nil)) }
        let mayBeCoded = decodesContent && !context.isUpgrade
        if mayBeCoded, !has("accept-encoding"), !has("range"), !omitted.contains("accept-encoding") {
            fields.append(RequestField("Accept-Encoding", ContentCoding.acceptEncoding))
        }
        // libcurl adds this one by itself.
        if omitted.contains("accept"), !has("accept") { fields.append(RequestField("Accept", nil)) }
        // libcurl would ask for 100 (Continue) by itself, and wait a second for servers that ignore it.
        if context.hasBody, !has("expect") { fields.append(RequestField("Expect", nil)) }
        if let coding = context.contentCoding, !has("content-encoding") {
            fields.append(RequestField("Content-Encoding", coding.name))
        }
        // As URLSession does for content that is posted without a type.
        if context.isBodyGiven, method == "POST", !has("content-type"), !omitted.contains("content-type") {
            fields.append(RequestField("Content-Type", "application/x-www-form-urlencoded"))
        } else if !has("content-type") {
            fields.append(RequestField("Content-Type", nil))
        }
        return fields
    }

    private static let userAgent: String = {
        let process = ProcessInfo.processInfo.processName
        let name = String(process.map { $0.isASCII && HeaderRule.isToken(String($0)) ? $0 : "-" })
        let curl = (try? CurlRuntime.current()).map { " libcurl/\($0.version)" } ?? ""
        return "\(name.isEmpty ? "swift" : name) Ferry\(curl)"
    }()
}
