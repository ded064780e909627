/// A credential with its expiration date, for which the authenticator is asked only once.
final class HeldCredential<Credential: Sendable>: Sendable {
    let value: Credential
    let expirationDate: Date?

    init(_ value: Credential, expirationDate: Date?) {
        self.value = value
        self.expirationDate = expirationDate
    }

    /// Returns whether the credential expires within a number of seconds.
    func expires(within seconds: TimeInterval, of now: Date) -> Bool {
        expirationDate.map { $0.timeIntervalSince(now) <= seconds } ?? false
    }
}

/// The credential of an interceptor, the refresh that runs, and the times of earlier ones.
///
/// All decisions are functions of this state and the time. The caller that receives a new flight has to start it.
struct RefreshState<Credential: Sendable>: Sendable {
    typealias Held = HeldCredential<Credential>
    typealias Flight = RefreshFlight<Credential>

    /// How a request gets its credential.
    enum Access {
        case use(Held, starting: Flight?)
        case wait(Flight, isNew: Bool)
        case fail(AuthenticationError)
    }

    /// The step that follows a response that refuses a credential.
    enum Rejection {
        case deliver
        case retry
        case wait(Flight, isNew: Bool)
        case fail(AuthenticationError)
    }

    /// The number of tasks that are remembered in ``retried``.
    static var rememberedTasks: Int { 10_000 }

    private(set) var current: Held?
    private let options: AuthenticationOptions
    private var maximumRefreshes: Int { min(max(0, options.maximumRefreshes), 1_000) }
    /// The number of credentials there were before the current one.
    private var generation = 0
    private(set) var flight: Flight?
    /// Whether the server has refused the credential that is being refreshed.
    private var isRefused = false
    /// When the refreshes within the window began.
    private var starts: [Date] = []
    /// By task, the number of the attempt that is followed by one with the current credential.
    private var retried: [TaskIdentity: Int] = [:]

    init(_ current: Held?, options: AuthenticationOptions) {
        (self.current, self.options) = (current, options)
    }

    // MARK: - Requests

    /// Returns the credential if a request can be sent with it, and the refresh to start ahead of its expiration.
    mutating func usable(at now: Date) -> (credential: Held, starting: Flight?)? {
        guard let current, !isRefused, !current.expires(within: 0, of: now) else { return nil }
        guard flight == nil, current.expires(within: max(0, options.leeway), of: now) else { return (current, nil) }
        // If refreshes fail, half of them are left for requests that have to wait after the expiration.
        return (current, begin(at: now, limit: (maximumRefreshes + 1) / 2))
    }

    /// Decides how a request gets its credential.
    mutating func access(at now: Date) -> Access {
        if let (credential, new) = usable(at: now) { return .use(credential, starting: new) }
        if let flight { return .wait(flight, isNew: false) }
        guard let new = begin(at: now, limit: maximumRefreshes) else { return .fail(.excessiveRefresh) }
        return .wait(new, isNew: true)
    }

    // MARK: - Refused credentials

    /// Decides what follows a response that refuses a credential; `held` was the current one when the request was
    /// compared with it, and `isSent` is whether the request carried it.
    ///
    /// If the request is sent again after waiting, call ``remember(_:attempt:)``.
    mutating func rejection(of held: Held, isSent: Bool, task: TaskIdentity, attempt: Int, at now: Date) -> Rejection {
        let isCurrent = current === held
        if isCurrent, let earlier = retried[task], attempt > earlier { return .deliver }
        if let flight, isRefused { return .wait(flight, isNew: false) }
        guard isCurrent, isSent else {
            remember(task, attempt: attempt)
            return .retry
        }
        // From now on, other requests wait for a refresh ahead of the expiration too.
        if let flight {
            isRefused = true
            return .wait(flight, isNew: false)
        }
        guard let new = begin(at: now, limit: maximumRefreshes) else { return .fail(.excessiveRefresh) }
        isRefused = true
        return .wait(new, isNew: true)
    }

    /// Remembers that a task sends its request again with the current credential.
    mutating func remember(_ task: TaskIdentity, attempt: Int) {
        // If a task is forgotten, its request may be sent once more than necessary.
        if retried.count >= Self.rememberedTasks { retried = [:] }
        retried[task] = attempt
    }

    // MARK: - Refreshes

    private mutating func begin(at now: Date, limit: Int) -> Flight? {
        // If the clock was set back, some starts are in the future.
        starts.removeAll { start in
            let age = now.timeIntervalSince(start)
            return !(age >= 0 && age < options.refreshWindow)
        }
        guard starts.count < limit else { return nil }
        starts.append(now)
        let new = Flight(replacing: current, generation: generation)
        flight = new
        return new
    }

    /// Ends a refresh, and returns whether its result counts, and a newer refresh that must end with the same result.
    ///
    /// A credential that arrives after the time limit counts too, unless there is a newer one: the server may no longer
    /// accept the old one, not even for a refresh that has begun since.
    mutating func end(_ ended: Flight, with new: Held?) -> (counts: Bool, other: Flight?) {
        let other = flight === ended ? nil : flight
        guard ended.generation == generation, new != nil || other == nil else { return (false, nil) }
        flight = nil
        isRefused = false
        if let new { replace(with: new) }
        return (true, other)
    }

    /// Sets the credential that the application has chosen, and returns the refresh whose result no longer counts.
    mutating func set(_ new: Held?) -> Flight? {
        defer { flight = nil }
        replace(with: new)
        isRefused = false
        starts = []
        return flight
    }

    private mutating func replace(with new: Held?) {
        current = new
        generation += 1
        retried = [:]
    }
}
