import Foundation

/// What can go wrong with a ``LoopbackServer`` itself.
public enum LoopbackServerError: Error, Equatable, Sendable {
    /// The host is not a numeric IPv4 or IPv6 address.
    case invalidHost(String)

    /// A system call failed, with its `errno` value.
    case system(call: String, code: Int32)

    /// What a test waited for did not happen in time; the text says what was seen instead.
    case timedOut(String)
}

extension LoopbackServerError: CustomStringConvertible {
    /// One sentence that says what failed.
    public var description: String {
        switch self {
        case .invalidHost(let host): "“\(host)” is not a numeric IP address."
        case .system(let call, let code): "\(call) failed: \(String(cString: strerror(code)))."
        case .timedOut(let text): "Timed out: \(text)."
        }
    }
}
