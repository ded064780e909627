import FuzzSupport

@testable import FerryCore
@testable import FerrySession

/// Challenges of `WWW-Authenticate`.
let authenticateField = FuzzTarget("authenticate") { input in
    let text = input.amplifiedText(to: 200_000)
    let challenges = bounded { AuthenticateField.parse([text]) }
    if let digest = bounded({ AuthenticateField.digest([text]) }) {
        expect(digest.parameters["nonce"]?.isEmpty == false, "a Digest challenge without a nonce: \(digest)")
    }
    for challenge in challenges {
        expect(HeaderRule.isToken(challenge.scheme), "a scheme that is not a token: \(challenge.scheme)")
    }
    // Writing and parsing them again yields the same, except for a scheme whose name could be a parameter's.
    let written = challenges.map { challenge in
        guard let realm = challenge.realm else { return challenge.scheme }
        let escaped = realm.unicodeScalars.map { "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }
        return "\(challenge.scheme) realm=\"\(escaped.joined())\""
    }
    let again = bounded { AuthenticateField.parse([written.joined(separator: ", ")]) }
    let isSame = again.elementsEqual(challenges) { $0.scheme == $1.scheme && $0.realm == $1.realm }
    expect(isSame, "\(challenges) became \(again)")
}

/// `Content-Disposition`, and the file names derived from it.
let contentDisposition = FuzzTarget("content-disposition") { input in
    let limit = input.choice([255, 255, 64, 40])
    let text = input.amplifiedText(to: 64_000)
    checkFileName(bounded { FileName.component(text, maximumByteCount: limit) }, limit)
    guard let field = bounded({ ContentDisposition(text) }) else { return }
    // By scalars, since a Greek question mark and a semicolon are the same character.
    let isType = !field.type.isEmpty && !field.type.unicodeScalars.contains { " \t;=,\"".unicodeScalars.contains($0) }
    expect(isType, "a bad type: \(field.type)")
    checkFileName(bounded { field.safeFileName(maximumByteCount: limit) }, limit)
    let parameters = field.parameters.map { name, value in
        let escaped = value.unicodeScalars.map { "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }
        return "; \(name)=\"\(escaped.joined())\""
    }
    // Lowercasing non-ASCII letters may change the length, and is not always idempotent.
    guard field.parameters.keys.allSatisfy({ $0 == $0.lowercased() }), field.type == field.type.lowercased() else {
        return
    }
    let again = ContentDisposition(field.type + parameters.joined())
    expect(again == field, "\(field) became \(String(describing: again))")
}

private func checkFileName(_ name: String?, _ limit: Int) {
    guard let name else { return }
    expect(!name.isEmpty && name.utf8.count <= limit, "a name of \(name.utf8.count) bytes")
    expect(
        !name.hasPrefix(".") && !name.unicodeScalars.contains { "/\\".unicodeScalars.contains($0) },
        "unsafe: \(name)"
    )
    expect(!name.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "control characters in \(name.debugDescription)")
    expect(FileName.component(name, maximumByteCount: limit) == name, "not safe a second time: \(name)")
}

/// `Content-Range`, and whether a response continues a download.
let contentRange = FuzzTarget("content-range") { input in
    let offset = number(&input)
    let total = input.bool() ? number(&input) : nil
    let status = input.choice([206, 206, 416, 200, 304])
    let text = input.amplifiedText(to: 200_000)
    let answer = bounded {
        ContinuationRule.evaluate(
            .init(status: status) { $0 == "Content-Range" ? text : nil },
            .init(offset: offset, total: total, validator: nil)
        )
    }
    var end: ByteCount?
    if case .continues(let found) = answer { end = found }
    guard let range = ContentRange(text) else {
        expect(end == nil, "continues without a range")
        return
    }
    expect(range.first <= range.last && range.last < range.end, "\(range)")
    expect(range.first.adding(range.length) == range.end, "\(range)")
    expect(range.complete.map { $0 >= range.end } ?? true, "\(range)")
    let written = "bytes \(range.first)-\(range.last)/\(range.complete.map(\.description) ?? "*")"
    expect(ContentRange(written) == range, "\(range) became \(String(describing: ContentRange(written)))")
    guard let end else { return }
    expect(end == range.end, "continues to \(end)")
    expect(range.first == offset, "continues at \(range.first) instead of \(offset)")
    if let total, let complete = range.complete { expect(complete == total, "continues despite another length") }
}

/// Returns a number from zero on, including those near the limits of the type.
private func number(_ input: inout FuzzInput) -> ByteCount {
    let number =
        switch input.number(below: 4) {
        case 0: Int64(input.number(below: 256))
        case 1: Int64.max - Int64(input.number(below: 256))
        default: Int64(input.number(below: 1 << 24)) << 16
        }
    return ByteCount(number) ?? .zero
}

/// HTTP dates.
let httpDate = FuzzTarget("http-date") { input in
    let text = input.amplifiedText(to: 200_000)
    guard let date = bounded({ HTTPDate.parse(text) }) else { return }
    checkDate(date)
    let written = HTTPDate.string(from: date)
    // Dates in the last second of the year 9999 may roll over.
    guard written.utf8.count == 29 else { return }
    expect(HTTPDate.parse(written) == date, "\(date) became \(written)")
}

/// Cookie dates.
let cookieDate = FuzzTarget("cookie-date") { input in
    let text = input.amplifiedText(to: 200_000)
    if let date = bounded({ CookieDate.parse(text) }) { checkDate(date) }
}

private func checkDate(_ date: Date) {
    let year = 365.2425 * 86_400
    let seconds = date.timeIntervalSince1970
    expect(seconds >= (1600 - 1970) * year - 86_400 && seconds <= (10_000 - 1970) * year + 86_400, "\(date)")
}
