import TestSupport

@testable import FerryCurl
@testable import FerrySession

/// One call with a simulated engine, server and user, in which everything that happens follows from a seed.
///
/// The server has an entity that changes at times, and may respond in any way. The guarantees to a user are checked at
/// each event; a violation is a text in ``violations``.
final class CallSimulation: CallSurroundings {
    /// The content of a response's body.
    private struct Entity {
        let bytes: [UInt8]
        let hasValidator: Bool
    }

    /// The response of the attempt that runs.
    private struct Network {
        var sends = 0
        var entity: Int?
        var offset = 0
        var status: Int?
    }

    private(set) var violations: [String] = []
    /// The events so far, for the report of a failure.
    private(set) var log: [String] = []
    private(set) var ends = 0
    private var concluded = 0
    var isFinished: Bool { ends > 0 }

    private var generator: SeededGenerator
    private var call: Call
    private var entities: [Entity] = []
    private var network: Network?
    private var attempt: NetworkAttempt?
    private var clock: UInt64 = 1_000_000_000
    private let deliversAtEnd: Bool

    private var isQueued = false
    private(set) var isRunning = false
    private var isSuspended = false
    private enum Question { case request, decision, conclusion }

    private var openQuestion: (number: Int, kind: Question)?
    private var openRedirect: URLRequest?
    private var openChallenge = false
    private var needsStream = false
    private var considersLater = false
    private(set) var hasReader = false
    private(set) var hasUnreadStream = false
    private var sentRequest: AttemptSetup?

    // The user's state.
    private var received: [UInt8] = []
    private var receivedEntity: Int?
    private var hasResponse = false
    /// Whether the request may have changed something on the server, and nothing has allowed to send it again since.
    private var isSpent = false

    init(seed: UInt64) {
        var generator = SeededGenerator(seed)
        let method = ["GET", "GET", "GET", "HEAD", "PUT", "POST", "POST"].randomElement(using: &generator) ?? "GET"
        var request = URLRequest(url: Self.urls[0])
        request.httpMethod = method
        request.setValue("Bearer a.test", forHTTPHeaderField: "Authorization")
        let isBodyless = method == "GET" || method == "HEAD"
        let bodies: [BodySource] = isBodyless ? [.none] : [.none, .data(Data("body".utf8)), .delegateStream]
        let isDownload = method == "GET" && Bool.random(using: &generator)
        deliversAtEnd = Bool.random(using: &generator)
        let body = bodies.randomElement(using: &generator) ?? .none
        let settings = Bool.random(using: &generator) ? Self.coalescing : Self.plain
        call = Call(request, body: body, isDownload: isDownload, settings: settings)
        let recovery = Self.recoveries.randomElement(using: &generator) ?? nil
        if let recovery {
            let identity = TaskIdentity(session: 0, task: 1)
            let now = MonotonicTime(nanoseconds: clock)
            call.recover(
                by: Attempts(recovery, request, task: identity, originalURL: request.url, received: .zero, at: now)
            )
        }
        self.generator = generator
    }

    private static let urls = ["https://a.test/x", "https://a.test/y", "https://b.test/z"].compactMap(URL.init(string:))
    private static let plain = CurlSessionSettings(.ephemeral, options: CurlSession.Options())
    private static let coalescing = CurlSessionSettings(
        .ephemeral,
        options: {
            var options = CurlSession.Options()
            options.coalescesIdenticalRequests = true
            return options
        }()
    )
    private static let recoveries: [RecoverySettings?] = [
        nil,
        RecoverySettings { $0.retry = .standard },
        RecoverySettings { $0.interceptors = RequestInterceptors([Silent()]) },
        RecoverySettings { values in
            values.retry = .standard
            values.interceptors = RequestInterceptors([Silent()])
        },
        RecoverySettings { values in
            values.retry = .standard
            values.interceptors = RequestInterceptors([Around()])
        },
    ]

    /// An interceptor whose answers the simulation provides.
    private struct Silent: RequestInterceptor {}

    /// An interceptor around the whole call, whose answers the simulation provides too.
    private struct Around: ConcludingInterceptor {
        var failureStatusCodes: Set<Int> { Set(200...599) }
        func conclude(_ attempt: RequestAttempt, with end: AttemptOutcome) async throws -> InterceptedResponse? { nil }
    }

    // MARK: - What surrounds the call

    var now: MonotonicTime { MonotonicTime(nanoseconds: clock) }
    var random: Double { 0.5 }
    var isParkedInQueue: Bool { false }
    var limits: TransferClock.Limits { TransferClock.Limits(call: TimeSpan(seconds: 100)) }
    var isCallOver: Bool { false }
    var timeLeft: Double? { nil }
    var mayReceive: Bool { !isSuspended }
    var wasSent: Bool { (network?.sends ?? 0) > 0 }
    var decoding: Decoding { .none }
    var unreadBody: MadeBody? { nil }
    var mayRestartBody: Bool { deliversAtEnd }
    var proxy: ProxyServer? { nil }
    var isProxyCertain: Bool { false }
    var acceptedCredentials: AcceptedCredentials { AcceptedCredentials() }
    func staleResponse(insteadOf code: URLError.Code?) -> LocalResponse? { nil }
    func hasRetry(for key: RetryBudgets.Key) -> Bool { true }
    func charge(_ key: RetryBudgets.Key) {}

    // MARK: - Running

    /// Runs turns until the call has ended.
    func run(turns: Int = 120) {
        send(.begin)
        var turn = 0
        while !isFinished, violations.isEmpty {
            turn += 1
            guard turn < turns else {
                send(.cancelled)
                break
            }
            guard let next = possibleTurns.randomElement(using: &generator) else {
                violations.append("nothing can happen in \(call.stage)")
                break
            }
            next()
        }
        if violations.isEmpty, ends != 1 { violations.append("the call ended \(ends) times") }
        var steps: [CallStep] = []
        call.handle(.begin, in: self, into: &steps)
        if !steps.isEmpty { violations.append("the call goes on after its end") }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private func send(_ event: CallEvent) {
        log.append("\(event)".prefix(160).description)
        var steps: [CallStep] = []
        call.handle(event, in: self, into: &steps)
        for step in steps { carryOut(step) }
    }

    private func carryOut(_ step: CallStep) {
        if isFinished { return }
        log.append("  " + "\(step)".prefix(120))
        switch step {
        case .ask(let number, _):
            let isDecision = call.attempts?.conclusion == nil
            openQuestion = (number, call.stage == .adapting ? .request : isDecision ? .decision : .conclusion)
        case .attempt(let attempt): self.attempt = attempt
        case .verify: send(.verified)
        case .lookUp: lookUp()
        case .join: send(chance(20) ? .mustWaitForIdenticalRequest : .isFirst)
        case .admit: isQueued = true
        case .waitForRetry(let delay): clock += UInt64(delay.seconds * 1e9)
        case .deliver(let response): deliver(response)
        case .report(let report): receive(report)
        case .replay(let body, let failure):
            take(body)
            send(failure == nil ? .drained : .failed(failure))
        case .restartBody:
            if !mayRestartBody { violations.append("what the user has received was discarded") }
            (received, receivedEntity, hasResponse) = ([], nil, false)
        case .considerResponseLater: considersLater = true
        case .feed(let local):
            if case .data(let data) = local.body, call.request.method != "HEAD" { take(Array(data)) }
            call.incoming.hasEnded = true
            send(.drained)
        case .endAttempt: (isRunning, isQueued) = (false, false)
        case .finish: finish()
        case .fail, .close: ends += 1
        default: break
        }
    }

    private func receive(_ report: CallReport) {
        switch report {
        case .redirect(_, let request, _): openRedirect = request
        case .event(.challenge): openChallenge = true
        case .event(.needsBodyStream): needsStream = true
        case .response(let response): deliver(response)
        case .event(.rewound): (hasReader, hasUnreadStream) = (hasReader, false)
        default: break
        }
    }

    // MARK: - What the user relies on

    private func deliver(_ response: ReceivedResponse) {
        if !received.isEmpty { violations.append("a response came after bytes of another one") }
        if hasResponse, !deliversAtEnd { violations.append("a second response came") }
        hasResponse = true
        let fields = (response.value as? HTTPURLResponse)?.allHeaderFields
        receivedEntity = (fields?["X-Entity"] as? String).flatMap { Int($0) }
    }

    private func take(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            if call.held != nil {
                if call.held?.keep(bytes) == true { send(.heldBodyIsLarge) }
            } else if !call.incoming.skipsBody {
                call.rest.received.add(ByteCount(clamping: bytes.count))
                received += bytes
            }
        }
    }

    private func finish() {
        ends += 1
        guard let receivedEntity, call.request.method != "HEAD", !call.incoming.isUnwanted else { return }
        if received != entities[receivedEntity].bytes {
            violations.append("the body \(received) is not that of entity \(entities[receivedEntity].bytes)")
        }
    }

    /// Checks what is sent to which origin, and that no request is repeated that must not be repeated.
    private func checkSending(_ setup: AttemptSetup) {
        let (request, host) = (call.request.complete, call.request.url?.host ?? "")
        if let secret = request.value(forHTTPHeaderField: "Authorization"), secret != "Bearer \(host)" {
            violations.append("\(secret) was sent to \(host)")
        }
        if let credential = setup.credentials.server, credential.user != host {
            violations.append("the credential of \(credential.user) was sent to \(host)")
        }
        if isSpent { violations.append("\(call.request.method) was sent again") }
    }

    // MARK: - What can happen

    private var possibleTurns: [() -> Void] {
        var turns: [() -> Void] = []
        if isQueued { turns += [beginAttempt, beginAttempt] }
        if isRunning { turns += network?.status == nil ? [receiveHead, receiveHead, loseConnection] : bodyTurns }
        if let openQuestion { turns += [{ self.answer(openQuestion) }] }
        if let openRedirect { turns += [{ self.answerRedirect(openRedirect) }] }
        if openChallenge { turns.append(answerChallenge) }
        if needsStream { turns.append(provideStream) }
        if considersLater { turns.append(considerResponse) }
        switch call.stage {
        case .delaying where !isSuspended: turns.append { self.send(.delayed) }
        case .detached where !isSuspended: turns.append { self.send(.mayMove) }
        case .waitingForTrust: turns.append { self.send(.trustDecided) }
        case .waitingForIdenticalRequest: turns.append(endOther)
        default: break
        }
        if isSuspended || chance(10) { turns.append(toggleSuspension) }
        if chance(2) { turns.append { self.send(.cancelled) } }
        return turns
    }

    private var bodyTurns: [() -> Void] {
        var turns: [() -> Void] = [loseConnection]
        let left = network?.entity.map { entities[$0].bytes.count - (network?.offset ?? 0) } ?? 0
        if left > 0, !isSuspended { turns += [receiveBytes, receiveBytes, receiveBytes] }
        if left <= 0 { turns += [{ self.endAttempt(0) }, { self.endAttempt(0) }] }
        if chance(10) { turns.append { self.send(.mayDetach) } }
        return turns
    }

    private func lookUp() {
        guard call.request.method == "GET", chance(5) else { return send(.lookedUp(.network)) }
        let isError = chance(20)
        let error = URLError(.resourceUnavailable)
        send(.lookedUp(isError ? .failure(error) : .response(local(.cache))))
    }

    private func local(_ source: LocalResponse.Source) -> LocalResponse {
        let entity = newEntity()
        let head = head(of: entity, status: source == .interceptor && chance(30) ? 503 : 200)
        return LocalResponse(source: source, head: head, body: .data(Data(entities[entity].bytes)))
    }

    private func newEntity() -> Int {
        // Entities of one length can be mistaken for each other.
        let count = chance(50) ? entities.last?.bytes.count ?? 6 : Int.random(in: 0..<12, using: &generator)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        entities.append(Entity(bytes: bytes, hasValidator: chance(70)))
        return entities.count - 1
    }

    private func head(of entity: Int, status: Int, _ others: [(String, String)] = []) -> ResponseHead {
        var fields = [("X-Entity", "\(entity)"), ("Content-Length", "\(entities[entity].bytes.count)")]
        if entities[entity].hasValidator { fields.append(("ETag", "\"\(entity)\"")) }
        for (name, value) in others {
            fields.removeAll { $0.0 == name }
            fields.append((name, value))
        }
        return ResponseHead(version: "HTTP/1.1", status: status, fields: fields.map { .init(name: $0.0, value: $0.1) })
    }

    // MARK: - The network

    private func beginAttempt() {
        (isQueued, isRunning) = (false, true)
        network = Network()
        guard let attempt else { return violations.append("an attempt was admitted that was not prepared") }
        let setup = call.setUp(attempt.prepared, conditions: [], in: self)
        sentRequest = setup
        if case .delegateStream = call.content { (hasReader, hasUnreadStream) = (true, false) }
        call.noteBodyIsRead()
        log.append("attempt to \(attempt.prepared.url)")
        guard !chance(10) else { return endAttempt(CurlCode.couldNotConnect) }
        checkSending(setup)
        network?.sends = 1
        if !RepetitionRule.isIdempotent(call.request.method) { isSpent = true }
    }

    private func receiveHead() {
        let entity = entities.isEmpty || chance(25) ? newEntity() : entities.count - 1
        var status = [200, 200, 200, 200, 204, 401, 404, 417, 429, 503, 301, 302, 307].randomElement(using: &generator)
        var others: [(String, String)] = []
        network?.entity = entity
        network?.offset = 0
        if let range = sentRequest?.fields.first(where: { $0.name == "Range" })?.value, chance(70) {
            let offset = Int(range.dropFirst(6).dropLast()) ?? 0
            status = continueEntity(entity, at: offset, &others)
        }
        let code = status ?? 200
        switch code {
        case 301, 302, 307:
            others.append(("Location", Self.urls.randomElement(using: &generator)?.absoluteString ?? ""))
        case 401: others.append(("WWW-Authenticate", "Basic realm=\"r\""))
        default: break
        }
        if code == 204 || call.request.method == "HEAD" { network?.entity = nil }
        if code == 204 { others += [("X-Entity", ""), ("Content-Length", "0")] }
        network?.status = code
        let head = head(of: entity, status: code, others)
        // The server has refused or redirected the request.
        if [301, 302, 307, 401, 417].contains(code) { isSpent = false }
        var facts = HeadFacts(head: head)
        facts.expectsContinue = code == 417 && !call.content.isNone
        if code == 401 { facts.challenge = AuthenticationChallenge(head, runtime: try? CurlRuntime.current()) }
        send(.head(facts))
        if call.incoming.isStopped { endAttempt(CurlCode.writeError) }
    }

    /// Responds to a request for the rest, honestly or not, and returns the status.
    private func continueEntity(_ entity: Int, at offset: Int, _ others: inout [(String, String)]) -> Int {
        let length = entities[entity].bytes.count
        let condition = sentRequest?.fields.first { $0.name == "If-Range" }?.value
        let isSame = condition == "\"\(entity)\""
        guard offset < length else {
            others.append(("Content-Range", "bytes */\(length)"))
            network?.entity = nil
            return 416
        }
        // A server may ignore the condition, or send another range, but reports the range correctly.
        let start = isSame || chance(50) ? offset : 0
        if !isSame, start == 0 || chance(50) { return 200 }
        others += [
            ("Content-Range", "bytes \(start)-\(length - 1)/\(length)"), ("Content-Length", "\(length - start)"),
            // A part without a validator could belong to any entity, so other entities could not be recognized.
            ("ETag", "\"\(entity)\""),
        ]
        network?.offset = start
        return 206
    }

    private func receiveBytes() {
        guard let network, let entity = network.entity else { return }
        let all = entities[entity].bytes
        let count = Int.random(in: 1...(all.count - network.offset), using: &generator)
        self.network?.offset += count
        take(Array(all[network.offset..<(network.offset + count)]))
    }

    private func loseConnection() {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: endAttempt(CurlCode.receiveError)
        case 1: endAttempt(CurlCode.partialFile)
        case 2: endAttempt(CurlCode.gotNothing)
        case 3: endAttempt(CurlCode.http2Stream)
        case 4 where isRunning: send(.deadline(chance(50) ? .inactivity : .connect))
        default: endAttempt(CurlCode.sendError)
        }
    }

    private func endAttempt(_ code: Int32) {
        guard let network else { return }
        var end = AttemptEnd(code: code)
        if code != 0 {
            end.failure = URLError(code == CurlCode.couldNotConnect ? .cannotConnectToHost : .networkConnectionLost)
        }
        end.sends = network.sends
        end.hasResponseBytes = network.status != nil
        end.hasStatus = network.status != nil
        end.needsNewConnection = network.sends == 0 && chance(30)
        if end.needsNewConnection, chance(30) { end.trust = .pending }
        end.received = ByteCount(clamping: network.offset)
        send(.attemptEnded(end))
    }

    // MARK: - The user's code

    private func answer(_ question: (number: Int, kind: Question)) {
        openQuestion = nil
        let request = call.request.base
        var answer = InterceptorAnswer.decision(.proceed)
        switch question.kind {
        case .conclusion:
            concluded += 1
            if concluded > 1 { violations.append("the end of the call was asked about twice") }
            let headers = ["X-Entity": "\(newEntity())"]
            let response = InterceptedResponse(statusCode: chance(50) ? 200 : 503, headers: headers, body: lastBody)
            answer = chance(20) ? .failure(URLError(.badServerResponse)) : .conclusion(chance(60) ? response : nil)
        case .decision:
            let decision: RetryDecision = chance(50) ? .proceed : chance(50) ? .doNotRetry : .retryAfter(1)
            // The interceptor may have reasons to know that repeating is safe.
            if case .retryAfter = decision { isSpent = false }
            answer = .decision(decision)
        case .request:
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: answer = .failure(URLError(.userAuthenticationRequired))
            case 1: answer = .attemptFailure(request, URLError(.networkConnectionLost))
            case 2:
                let headers = ["X-Entity": "\(newEntity())"]
                answer = .response(request, InterceptedResponse(headers: headers, body: lastBody))
            default:
                var changed = request
                // The interceptor has a secret for the task's own origin, and adds it to every request.
                changed.setValue("Bearer a.test", forHTTPHeaderField: "Authorization")
                answer = .request(changed)
            }
        }
        send(.answered(question.number, answer))
    }

    private var lastBody: Data { Data(entities.last?.bytes ?? []) }

    private func answerRedirect(_ request: URLRequest) {
        openRedirect = nil
        send(.redirected(chance(85) ? request : nil))
    }

    private func answerChallenge() {
        openChallenge = false
        let user = call.request.url?.host ?? ""
        let credential = URLCredential(user: user, password: "\(chance(50))", persistence: .forSession)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: send(.authenticated(.cancelAuthenticationChallenge, nil))
        case 1: send(.authenticated(.rejectProtectionSpace, nil))
        case 2: send(.authenticated(.performDefaultHandling, nil))
        default: send(.authenticated(.useCredential, credential))
        }
    }

    private func provideStream() {
        needsStream = false
        send(.bodyStream(chance(80) ? StreamBox(InputStream(data: Data("stream".utf8))) : nil))
    }

    private func considerResponse() {
        considersLater = false
        send(.considersResponse)
    }

    private func endOther() {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: send(.otherEnded(.response(local(.otherCall))))
        case 1: send(.otherEnded(.failure(URLError(.networkConnectionLost), wasSent: true)))
        case 2: send(.otherEnded(.unshareable))
        default: send(.otherEnded(.abandoned))
        }
    }

    private func toggleSuspension() {
        isSuspended.toggle()
        send(isSuspended ? .suspended : .resumed)
        send(.mayMove)
    }
}
