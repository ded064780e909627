import Foundation

/// An error of a ``LoopbackServer``.
public enum LoopbackServerError: Error, Equatable, Sendable {
    /// The host is not a numeric IPv4 or IPv6 address.
    case invalidHost(String)

    /// A system call failed, with its `errno` value.
    case system(call: String, code: Int32)

    /// A test waited for something that did not happen in time; the text describes what was expected and what was seen.
    case timedOut(String)
}

extension LoopbackServerError: CustomStringConvertible {
    /// A sentence that describes the error.
    public var description: String {
        switch self {
        case .invalidHost(let host): "“\(host)” is not a numeric IP address."
        case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code)))."
        case .timedOut(let text): "Timed out: \(text)."
        }
    }
}
