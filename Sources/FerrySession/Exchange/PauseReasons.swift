/// Why an exchange moves no bytes for now.
struct PauseReasons: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// The task is suspended.
    static let suspended = PauseReasons(rawValue: 1)
    /// The client has no room for more of the response's body.
    static let clientIsFull = PauseReasons(rawValue: 2)
    /// The stream that the request's body comes from has no bytes yet.
    static let bodyIsStarved = PauseReasons(rawValue: 4)

    /// The reasons that are not the network's, so that the deadline of inactivity waits.
    static let local: PauseReasons = [.clientIsFull, .bodyIsStarved]

    /// The mask of `curl_easy_pause` for these reasons.
    var curlMask: Int32 {
        var mask = CurlPause.none
        if contains(.suspended) { mask |= CurlPause.receive | CurlPause.send }
        if contains(.clientIsFull) { mask |= CurlPause.receive }
        if contains(.bodyIsStarved) { mask |= CurlPause.send }
        return mask
    }
}
