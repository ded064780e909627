import Foundation

extension LoopbackResponse {
    /// Returns the response with a fault.
    public func faulted(_ fault: Fault) -> LoopbackResponse {
        changed { $0.fault = fault }
    }

    /// Returns the response with a delay before it, and another one between head and body, both in seconds.
    public func delayed(_ headDelay: TimeInterval = 0, body bodyDelay: TimeInterval = 0) -> LoopbackResponse {
        changed {
            $0.headDelay = headDelay
            $0.bodyDelay = bodyDelay
        }
    }

    /// Returns the response with its body sent at a limited speed.
    public func throttled(bytesPerSecond: Int) -> LoopbackResponse {
        changed { $0.bytesPerSecond = bytesPerSecond }
    }

    /// Returns the response with an additional header field line.
    public func adding(_ name: String, _ value: String) -> LoopbackResponse {
        changed { $0.headers.add(name, value) }
    }

    /// Returns the response preceded by an interim one, such as 103 with a `Link`.
    public func preceded(by interim: Interim) -> LoopbackResponse {
        changed { $0.interimResponses.append(interim) }
    }

    /// Returns the response with another way of marking the end of its body.
    public func framed(_ framing: Framing) -> LoopbackResponse {
        changed { $0.framing = framing }
    }

    /// Returns the response with `Connection: close`.
    public func closing() -> LoopbackResponse {
        changed { $0.closesConnection = true }
    }

    /// Returns the response without a `Date` field.
    public func withoutDate() -> LoopbackResponse {
        changed { $0.sendsDate = false }
    }

    private func changed(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
        var copy = self
        change(&copy)
        return copy
    }
}
