import FuzzSupport

@testable import FerryCore
@testable import FerrySession

/// Response heads, line by line as libcurl delivers them.
let responseHead = FuzzTarget("response-head") { input in
    let text = input.amplified(to: 1_000_000)
    let heads = bounded { parseHeads(text) }
    for head in heads {
        expect((200...999).contains(head.status), "a final head with the status \(head.status)")
        for field in head.fields { expect(!field.name.isEmpty && !field.name.contains(":"), "a bad name: \(field)") }
        let joined = bounded { head.joinedFields }
        // Swift considers other names equal too, such as those with combining marks, but these are not tokens.
        if head.fields.allSatisfy({ $0.name.utf8.allSatisfy { $0 < 0x80 } }) {
            expect(joined == referenceJoin(head.fields), "joined as \(joined)")
        }
        if let location = head.location {
            let isLatin1 = head.fields.first { $0.name.isEqualIgnoringCase("location") }?.isLatin1 ?? false
            expect(!isLatin1 || location.utf8.allSatisfy { $0 < 0x80 }, "a location that is not ASCII")
        }
        _ = bounded { head.framingProblem }
        checkRoundTrip(head)
    }
}

private func parseHeads(_ text: [UInt8]) -> [ResponseHead] {
    var parser = ResponseHeadParser()
    var heads: [ResponseHead] = []
    for line in lines(of: text) {
        switch line.withUnsafeBytes({ parser.consume($0) }) {
        case .none, .interim: continue
        case .head(let head): heads.append(head)
        case .refused: return heads
        }
    }
    let size = parser.trailers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    // Latin-1 takes up to twice as many bytes in UTF-8.
    expect(size <= 2 * ResponseHeadParser.maximumSize, "trailers of \(size) bytes")
    return heads
}

private func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = text[...]
    while !rest.isEmpty {
        let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
        lines.append(rest[..<end])
        rest = rest[end...]
    }
    return lines
}

/// Joins the fields with a dictionary of lists, for comparison.
private func referenceJoin(_ fields: [ResponseHead.Field]) -> [String: String] {
    var spellings: [(name: String, values: [String])] = []
    var places: [[UInt8]: Int] = [:]
    for field in fields {
        let folded = field.name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if let place = places[folded] {
            spellings[place].values.append(field.value)
        } else {
            places[folded] = spellings.count
            spellings.append((field.name, [field.value]))
        }
    }
    return Dictionary(spellings.map { (referenceSpelling($0.name), $0.values.joined(separator: ", ")) }) { $1 }
}

/// Spells a name as FoundationNetworking does.
private func referenceSpelling(_ name: String) -> String {
    if name.hasPrefix("x-") || name.hasPrefix("X-") { return name }
    return name.lowercased() == "www-authenticate" ? "WWW-Authenticate" : name.capitalized
}

private func checkRoundTrip(_ head: ResponseHead) {
    var text = Array("HTTP/1.1 \(head.status)\r\n".utf8)
    for field in head.fields { text += Array("\(field.name): \(field.value)\r\n".utf8) }
    text += Array("\r\n".utf8)
    guard text.count < ResponseHeadParser.maximumSize else { return }
    let again = parseHeads(text)
    expect(again.count == 1, "\(again.count) heads after writing one")
    let before = head.fields.map { [$0.name, $0.value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))] }
    let after = (again.first?.fields ?? []).map { [$0.name, $0.value] }
    expect(before == after, "\(before) became \(after)")
}
