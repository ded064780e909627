/// The time that a server asks a client to wait before it sends a request again.
enum ServerDelay {
    /// The longest delay that is returned: a year, which is longer than any maximum that makes sense.
    private static let longest: TimeInterval = 31_536_000

    /// Returns the seconds from `now` on that a response asks for, at least zero, or `nil` where it does not.
    ///
    /// `RateLimit` fields delay a request only if its status says that it was refused for its rate.
    static func seconds(status: Int, now: Date, value: (String) -> String?) -> TimeInterval? {
        if let field = value("Retry-After") {
            // A date refers to the server's clock, unless that clock is far off.
            let age = value("Age").flatMap(number) ?? 0
            let date = value("Date").flatMap { HTTPDate.parse($0, now: now) }?.addingTimeInterval(age)
            let isUsable = date.map { abs($0.timeIntervalSince(now)) < 86_400 } ?? false
            if let seconds = retryAfter(field, now: isUsable ? date ?? now : now) { return seconds }
        }
        guard status == 429 || status == 503 else { return nil }
        if let field = value("RateLimit"), let seconds = rateLimit(field) { return seconds }
        // Earlier versions of the draft have a field for each number.
        guard let remaining = value("RateLimit-Remaining").flatMap(number), remaining == 0 else { return nil }
        return value("RateLimit-Reset").flatMap(number)
    }

    /// Reads `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
    static func retryAfter(_ field: String, now: Date) -> TimeInterval? {
        let text = field.trimmingCharacters(in: .whitespaces)
        if let seconds = number(text) { return seconds }
        return HTTPDate.parse(text, now: now).map { min(max(0, $0.timeIntervalSince(now)), longest) }
    }

    /// Reads `RateLimit` (draft-ietf-httpapi-ratelimit-headers): the longest `t` of the limits that have no `r` left.
    ///
    /// Both `"default";r=0;t=30` and the earlier `limit=100, remaining=0, reset=30` are understood.
    static func rateLimit(_ field: String) -> TimeInterval? {
        guard field.utf8.count <= 1_024 else { return nil }
        var longest: TimeInterval?
        var earlier: [String: TimeInterval] = [:]
        for limit in field.split(separator: ",") {
            var values: [String: TimeInterval] = [:]
            for parameter in limit.split(separator: ";") {
                let parts = parameter.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { continue }
                let name = parts[0].trimmingCharacters(in: .whitespaces).lowercased()
                values[name] = number(parts[1].trimmingCharacters(in: .whitespaces))
            }
            if values["r"] == 0, let seconds = values["t"] { longest = max(longest ?? 0, seconds) }
            earlier.merge(values) { $1 }
        }
        if longest == nil, earlier["remaining"] == 0 { return earlier["reset"] }
        return longest
    }

    /// Reads a number without a sign; a very large one becomes a very long delay.
    private static func number(_ text: String) -> TimeInterval? {
        DeltaSeconds.read(text).map { min(TimeInterval($0), longest) }
    }
}

extension RetryPolicy {
    /// Returns the delay in seconds, or a longer one that the response asks for; `nil` if it exceeds the maximum.
    package func delay(_ delay: TimeInterval, after response: HTTPURLResponse) -> TimeInterval? {
        let asked = ServerDelay.seconds(status: response.statusCode, now: Date.current) {
            response.value(forHTTPHeaderField: $0)
        }
        guard let asked else { return delay }
        return asked <= maximumServerDelay ? max(delay, asked) : nil
    }
}

extension RequestLimits {
    /// Returns how long, in seconds, all requests to the origin of a response have to wait; `nil` for no wait.
    func delay(status: Int, now: Date, value: (String) -> String?) -> TimeInterval? {
        guard honorsServerDelays, status == 429 || status == 503,
            let seconds = ServerDelay.seconds(status: status, now: now, value: value), seconds > 0,
            seconds <= maximumServerDelay
        else { return nil }
        return seconds
    }
}
