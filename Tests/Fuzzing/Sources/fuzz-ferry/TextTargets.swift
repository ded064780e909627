import FuzzSupport

@testable import FerryAPI
@testable import FerryCore
@testable import FerryTesting

/// `Link` fields: the links are within the limits, and the same when they are written and read again.
let link = FuzzTarget("link") { input in
    let base = input.bool() ? URL(string: "http://a.test/dir/list?page=1") : nil
    let values = [input.field(), input.amplifiedText(to: 200_000)]
    let links = bounded { Link.links(in: values, relativeTo: base) }
    expect(links.count <= 1_000, "\(links.count) links")
    for link in links { check(link) }
    let written = links.prefix(100).filter { isSameAgain($0, base) }
    let field = written.map(text).joined(separator: ", ")
    let again = bounded { Link.links(in: [field], relativeTo: base) }
    expect(again == Array(written), "\(field) became \(again.map(text))")
    if let link = links.first { expect(link.description.utf8.count < 100_000, "a very long description") }
}

private func check(_ link: Link) {
    let isAbsolute = link.target.scheme != nil && link.anchor.map { $0.scheme != nil } ?? true
    expect(isAbsolute, "a relative URL: \(link.target)")
    expect((1...32).contains(link.relations.count) && link.hreflang.count <= 32, "\(link.relations.count) relations")
    for relation in link.relations {
        let isValid = !relation.isEmpty && relation.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        expect(isValid && relation == relation.lowercased(), "the relation \(relation.debugDescription)")
        expect(link.has(rel: relation.uppercased()), "\(relation) is not found")
    }
    for (name, value) in link.parameters {
        expect(HeaderRule.isToken(name) && name == name.lowercased(), "the parameter \(name.debugDescription)")
        expect(value.utf8.count <= 3 * 4_096, "a value of \(value.utf8.count) bytes")
    }
}

/// Whether nothing of a link is too long once it is written, and its URLs are the same when they are resolved again.
private func isSameAgain(_ link: Link, _ base: URL?) -> Bool {
    let urls = [link.target] + [link.anchor].compactMap(\.self)
    let texts = [link.title ?? "", link.type ?? ""] + link.hreflang + link.parameters.values
    return texts.allSatisfy { $0.utf8.count <= 4_096 }
        && urls.allSatisfy { url in
            let text = url.absoluteString
            return text.utf8.count <= 8_192 && URLReference.resolve(text, against: base) == url
        }
}

/// Returns the text of a link in a field.
private func text(_ link: Link) -> String {
    var parameters = [("rel", link.relations.joined(separator: " "))]
    if let anchor = link.anchor { parameters.append(("anchor", anchor.absoluteString)) }
    if let title = link.title { parameters.append(("title", title)) }
    if let type = link.type { parameters.append(("type", type)) }
    parameters += link.hreflang.map { ("hreflang", $0) } + link.parameters.map { ($0.key, $0.value) }
    return "<\(link.target.absoluteString)>" + parameters.map { "; \($0.0)=\(quoted($0.1))" }.joined()
}

/// Returns a text in double quotes, in which `Link` fields escape with a backslash.
private func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
        "\"\\".unicodeScalars.contains(scalar) ? "\\\(scalar)" : "\(scalar)"
    }
    return "\"\(scalars.joined())\""
}

/// HTTP archives: what is read is the same when it is written and read again, and can be replayed.
let har = FuzzTarget("har") { input in
    let isEntry = input.byte() < 0xC0
    var limits = HTTPArchive.Limits()
    limits.entries = input.choice([100_000, 100_000, 2, 0])
    // Hashing hostile text takes quadratic time; only tests and tools read archives.
    let json = input.amplified(to: 20_000)
    let data = isEntry ? Data("{\"log\":{\"entries\":[".utf8) + json + Data("]}}".utf8) : Data(json)
    let archive: HTTPArchive
    do {
        archive = try bounded { try HTTPArchive(data: data, limits: limits) }
    } catch {
        expect("\(error)".utf8.count < 20_000, "a very long error message")
        return
    }
    expect(archive.entries.count <= limits.entries, "\(archive.entries.count) entries")
    guard let written = try? bounded({ try archive.json() }) else { fail("an archive that cannot be written") }
    let again = try? bounded { try HTTPArchive(data: written, limits: limits) }
    expect(again == archive, "a different archive: \(String(decoding: written, as: UTF8.self))")
    for entry in archive.entries.prefix(100) {
        bounded { _ = (entry.startDate, entry.request.postData?.body, entry.response.content.body) }
    }
    let transport = bounded { ArchiveTransport(archive) }
    expect(transport.unusedCount == archive.entries.count, "\(transport.unusedCount) entries are left")
}
