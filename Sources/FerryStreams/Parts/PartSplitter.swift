/// Splits the bytes of a multipart body into its parts (RFC 2046, section 5.1.1).
///
/// Many cameras do not follow the standard: lines may also end in a line feed alone, if the first delimiter does, and a
/// boundary that begins with two hyphens may be the whole delimiter.
struct PartSplitter: PieceSplitter {
    private enum Place {
        case preamble
        case head
        case body
        case epilogue
    }

    /// The kind of the line after a line end.
    private enum Line {
        case other
        /// A delimiter, with the index after its line.
        case delimiter(end: Int, isLast: Bool)
        /// There are too few bytes to determine the kind.
        case unknown
    }

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")
    /// The largest number of bytes in the header fields of a part.
    private static let headLimit = 65_536
    /// The largest number of blanks after a delimiter.
    private static let paddingLimit = 256

    /// The largest number of bytes in the body of a part.
    let limit: Int
    /// The delimiters that are accepted; once one has occurred, only that one.
    private var delimiters: [[UInt8]]
    /// Whether a delimiter needs a carriage return in the line ends before and after it.
    private var isStrict = false
    private var place = Place.preamble
    // A delimiter follows a line end, which the first one may lack.
    private var buffer: [UInt8] = [Self.lineFeed]
    /// The start of the bytes that are being read.
    private var start = 0
    /// The place where the search for their end continues; before ``start`` if an empty body's delimiter begins there.
    private var searched = 0
    private var headLength = 0
    private var fields: [(name: String, value: String)] = []

    init(boundary: String, limit: Int) {
        self.limit = max(0, limit)
        delimiters = ["--\(boundary)", boundary].map { Array($0.utf8) }.filter { $0.starts(with: "--".utf8) }
    }

    mutating func append(_ piece: Data) {
        // A carriage return before a line feed is kept.
        let taken = max(0, min(start, searched - 1))
        buffer.removeFirst(taken)
        (start, searched) = (start - taken, searched - taken)
        buffer.append(contentsOf: piece)
    }

    mutating func next() throws(URLError) -> ResponsePart? {
        while true {
            switch place {
            case .preamble, .body:
                guard let found = try findDelimiter() else { return nil }
                let body = Data(buffer[min(start, found.index)..<found.index])
                let headers = HTTPHeaders(fields.map { HTTPHeader($0.name, $0.value) })
                let part = place == .body ? ResponsePart(headers: headers, body: body) : nil
                place = found.isLast ? .epilogue : .head
                (start, searched, headLength, fields) = (found.end, found.end, 0, [])
                if let part { return part }
            case .head: guard try readHead() else { return nil }
            case .epilogue:
                (start, searched) = (buffer.count, buffer.count)
                return nil
            }
        }
    }

    mutating func last() throws(URLError) -> ResponsePart? {
        guard place != .epilogue else { return nil }
        throw .ferry(.networkConnectionLost, url: nil, "The multipart body was cut off before its last delimiter")
    }

    /// Returns where the next delimiter begins and ends; `nil` if it has not arrived yet.
    private mutating func findDelimiter() throws(URLError) -> (index: Int, end: Int, isLast: Bool)? {
        while let index = buffer[searched...].firstIndex(of: Self.lineFeed) {
            searched = index
            switch nextLine {
            case .other: searched += 1
            case .delimiter(let end, let isLast):
                try checkLength()
                if place == .preamble {
                    delimiters = delimiters.filter { buffer[(index + 1)...].starts(with: $0) }
                    isStrict = buffer[end - 2] == Self.carriageReturn
                }
                return (lineEnd, end, isLast)
            case .unknown:
                try checkLength()
                return nil
            }
        }
        searched = buffer.count
        try checkLength()
        return nil
    }

    /// Where the line ends whose line feed is at ``searched``.
    private var lineEnd: Int { buffer[..<searched].last == Self.carriageReturn ? searched - 1 : searched }

    private mutating func checkLength() throws(URLError) {
        if place == .preamble {
            start = searched
        } else if lineEnd - start > limit {
            let text = "A part of the multipart body is longer than \(limit) bytes"
            throw .ferry(.dataLengthExceedsMaximum, url: nil, reason: .responseTooLarge, text)
        }
    }

    /// The kind of the line after the line feed at ``searched``.
    private var nextLine: Line {
        let rest = buffer[(searched + 1)...]
        guard !isStrict || lineEnd < searched,
            let delimiter = delimiters.first(where: { $0.starts(with: rest.prefix($0.count)) })
        else { return .other }
        let after = searched + 1 + delimiter.count
        guard buffer.count >= after + 2 else { return .unknown }
        if buffer[after...].starts(with: "--".utf8) { return .delimiter(end: after + 2, isLast: true) }
        guard let end = buffer[after...].prefix(Self.paddingLimit).firstIndex(where: { !$0.isBlank }) else {
            return buffer.count - after < Self.paddingLimit ? .unknown : .other
        }
        if !isStrict, buffer[end] == Self.lineFeed { return .delimiter(end: end + 1, isLast: false) }
        guard buffer[end] == Self.carriageReturn else { return .other }
        guard end + 1 < buffer.count else { return .unknown }
        return buffer[end + 1] == Self.lineFeed ? .delimiter(end: end + 2, isLast: false) : .other
    }

    /// Reads the header fields of a part, and returns whether all have been read.
    private mutating func readHead() throws(URLError) -> Bool {
        while let end = buffer[searched...].firstIndex(of: Self.lineFeed) {
            let line = buffer[start..<end].last == Self.carriageReturn ? buffer[start..<(end - 1)] : buffer[start..<end]
            headLength += end + 1 - start
            try checkHead(headLength)
            (start, searched) = (end + 1, end + 1)
            if line.isEmpty {
                place = .body
                // If the body is empty, the line end before it is also that of the delimiter.
                searched = end
                return true
            }
            try add(String(decoding: line, as: UTF8.self))
        }
        searched = buffer.count
        try checkHead(headLength + buffer.count - start)
        return false
    }

    private func checkHead(_ length: Int) throws(URLError) {
        guard length > Self.headLimit else { return }
        let text = "The header fields of a part are longer than \(Self.headLimit) bytes"
        throw .ferry(.dataLengthExceedsMaximum, url: nil, reason: .responseTooLarge, text)
    }

    private mutating func add(_ line: String) throws(URLError) {
        if let first = line.utf8.first, first.isBlank, let last = fields.indices.last {
            fields[last].value += " " + line[...].utf8.trimmed.string
            return
        }
        guard let parts = line[...].utf8.cut(at: ":"), HeaderRule.isToken(parts.before.string) else {
            let text = "A part of the multipart body has a malformed header field"
            throw .ferry(.cannotParseResponse, url: nil, reason: .malformedResponse, text)
        }
        fields.append((parts.before.string, parts.after.trimmed.string))
    }
}
