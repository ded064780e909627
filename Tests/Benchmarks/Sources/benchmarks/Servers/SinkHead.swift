import Foundation

/// The parts of a request's head that the ``SinkServer`` uses.
struct SinkHead {
    /// The length of the body according to `Content-Length`.
    private(set) var length = 0
    private(set) var isChunked = false
    private(set) var expectsContinue = false
    /// The delay of the response in milliseconds; nil for an upload.
    let delay: Int?

    init(_ text: String) {
        let lines = text.split(separator: "\r\n")
        let target = lines.first?.split(separator: " ").dropFirst().first ?? ""
        delay = target.hasPrefix("/delay/") ? Int(target.dropFirst(7)) : nil
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = parts.first?.lowercased(), let last = parts.last else { continue }
            let value = last.trimmingCharacters(in: .whitespaces).lowercased()
            switch name {
            case "content-length": length = Int(value) ?? 0
            case "transfer-encoding": isChunked = value.contains("chunked")
            case "expect": expectsContinue = value == "100-continue"
            default: break
            }
        }
    }
}
