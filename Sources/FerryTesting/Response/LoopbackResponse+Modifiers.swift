import Foundation

extension LoopbackResponse {
    /// The response with something going wrong.
    public func faulted(_ fault: Fault) -> LoopbackResponse {
        changed { $0.fault = fault }
    }

    /// The response after a wait, with another one between head and body, both in seconds.
    public func delayed(_ headDelay: TimeInterval = 0, body bodyDelay: TimeInterval = 0) -> LoopbackResponse {
        changed {
            $0.headDelay = headDelay
            $0.bodyDelay = bodyDelay
        }
    }

    /// The response with its body sent slowly.
    public func throttled(bytesPerSecond: Int) -> LoopbackResponse {
        changed { $0.bytesPerSecond = bytesPerSecond }
    }

    /// The response with one more header line.
    public func adding(_ name: String, _ value: String) -> LoopbackResponse {
        changed { $0.headers.add(name, value) }
    }

    /// The response after an interim one, such as 103 with a `Link`.
    public func preceded(by interim: Interim) -> LoopbackResponse {
        changed { $0.interimResponses.append(interim) }
    }

    /// The response with the end of its body marked in a certain way.
    public func framed(_ framing: Framing) -> LoopbackResponse {
        changed { $0.framing = framing }
    }

    /// The response with `Connection: close`.
    public func closing() -> LoopbackResponse {
        changed { $0.closesConnection = true }
    }

    /// The response without a `Date` field.
    public func withoutDate() -> LoopbackResponse {
        changed { $0.sendsDate = false }
    }

    private func changed(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
        var copy = self
        change(&copy)
        return copy
    }
}
