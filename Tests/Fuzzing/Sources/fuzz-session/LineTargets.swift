import Foundation
import FuzzSupport

@testable import FerrySession

/// Lines and server-sent events, which must not depend on where the pieces of a body end.
let eventStream = FuzzTarget("event-stream") { input in
    let size = 1 + input.number(below: 64)
    let limit = input.choice([1_000_000, 1_000_000, 50, 0])
    let bytes = Data(input.amplifiedText(to: 200_000).utf8)
    let whole = bounded { read([bytes], limit) }
    let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    let again = bounded { read(pieces, limit) }
    expect(whole.lines == again.lines, "other lines in pieces of \(size) bytes")
    expect(whole.events == again.events, "other events in pieces of \(size) bytes")
    expect(whole.isTooLong == again.isTooLong, "another limit in pieces of \(size) bytes")
    for line in whole.lines {
        expect(line.utf8.count <= 3 * limit && !line.utf8.contains(0x0A) && !line.utf8.contains(0x0D), "a bad line")
    }
    for event in whole.events {
        expect(!event.type.isEmpty && !event.id.utf8.contains(0), "a bad event: \(event)")
        expect(event.data.utf8.count <= limit, "the data has \(event.data.utf8.count) bytes")
    }
}

private func read(
    _ pieces: [Data],
    _ limit: Int
) -> (lines: [String], events: [ServerSentEvent], isTooLong: Bool) {
    var (splitter, parser) = (LineSplitter(limit: limit), ServerSentEventParser(limit: limit))
    var lines: [String] = []
    var events: [ServerSentEvent] = []
    do {
        for piece in pieces {
            splitter.append(piece)
            while let line = try splitter.next() {
                lines.append(line)
                if let event = try parser.consume(line) { events.append(event) }
            }
        }
    } catch {
        return (lines, events, true)
    }
    if let last = splitter.last() { lines.append(last) }
    return (lines, events, false)
}
