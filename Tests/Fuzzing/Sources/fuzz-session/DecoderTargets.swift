import FuzzSupport

@testable import FerryCurl
@testable import FerrySession

/// Content codings in every combination, decoded in chunks of every size.
let contentDecoder = FuzzTarget("content-decoder") { input in
    let codings = (0...input.number(below: 3)).map { _ in input.choice(ContentCoding.available) }
    let pieceSize = input.choice([1, 2, 3, 7, 64, 1_000, 65_536])
    let outputSize = input.choice([1, 2, 5, 100, 16_384, 65_536])
    let body = input.rest()
    let inPieces = bounded { decode(body, codings, pieceSize: pieceSize, outputSize: outputSize) }
    let atOnce = bounded { decode(body, codings, pieceSize: body.count, outputSize: 65_536) }
    guard let inPieces, let atOnce, !inPieces.isCut, !atOnce.isCut else { return }
    // A truncated body may be found damaged before its end, depending on the chunks.
    expect(inPieces.isWhole == atOnce.isWhole, "whole \(inPieces.isWhole) in chunks, otherwise \(atOnce.isWhole)")
    guard inPieces.isWhole else { return }
    expect(inPieces.output == atOnce.output, "different bytes in chunks")
}

private struct Decoded {
    var output: [UInt8] = []
    var hasFailed = false
    var mayEnd = false
    /// Whether the body is accepted.
    var isWhole: Bool { !hasFailed && mayEnd }
    /// Whether decoding stopped because there was more output than the target examines.
    var isCut = false
}

private func decode(_ body: [UInt8], _ codings: [ContentCoding], pieceSize: Int, outputSize: Int) -> Decoded? {
    guard let chain = ContentDecoderChain(codings) else { return nil }
    let most = outputSize < 100 ? 20_000 : 2_000_000
    var result = Decoded()
    var output = [UInt8](repeating: 0, count: outputSize)
    var rest = body[...]
    do {
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, pieceSize))
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeBytes { chain.append($0) }
            while true {
                let step = try output.withUnsafeMutableBytes { try chain.read(into: $0) }
                if step == .needsInput { break }
                guard case .output(let count) = step else { continue }
                expect((1...outputSize).contains(count), "\(count) bytes in a buffer of \(outputSize)")
                result.output += output.prefix(count)
                if result.output.count > most {
                    result.isCut = true
                    return result
                }
            }
            expect(chain.isDrained, "neither output nor progress")
        }
        result.mayEnd = chain.mayEnd
    } catch {
        result.hasFailed = true
    }
    return result
}
