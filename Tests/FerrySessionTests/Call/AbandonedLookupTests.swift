import TestSupport
import Testing

@testable import FerryCurl
@testable import FerrySession

/// Attempts that end while a host's name is looked up, so that the exchange leaves them to libcurl.
@Suite(.timeLimit(.minutes(5)))
struct AbandonedLookupTests {
    /// libcurl looks a name up again to send a request once more, if its connection from the pool was closed.
    @Test("An attempt that ends during a lookup counts as sent if the request was sent before", arguments: [0, 1])
    func sent(_ sends: Int) async throws {
        let session = makeSession()
        let engine = try #require(session.engine)
        let url = try #require(URL(string: "http://unknown-name.invalid/"))
        let request = Wire.request(url, "POST", body: Data("x".utf8))
        let task = session.dataTask(with: request)
        let core = try #require((task as? any CurlTask)?.core)
        let limits = TransferClock.Limits(connect: TimeSpan(seconds: 1))
        let body = BodySource.data(Data("x".utf8))
        let group = session.core.group
        let (isReturned, failures) = (Watched(false), Watched<[AttemptOutcome]>([]))
        let interceptor = ClosureInterceptor(decide: { _, failure in
            // Until then the call belongs to this test, and not to the engine's thread.
            _ = try? await isReturned.wait { $0 }
            failures.append(failure)
            return .doNotRetry
        })
        var call = Call(request, body: body, isDownload: false, settings: session.settings)
        call.stage = .attempting
        let settings = RecoverySettings { $0.interceptors = RequestInterceptors([interceptor]) }
        let identity = TaskIdentity(session: 0, task: task.taskIdentifier)
        call.recover(by: Attempts(settings, request, task: identity, originalURL: url, received: .zero))
        let context = call.preparationContext(QuietSurroundings())
        let prepared = try PreparedRequest(request, settings: session.settings, context: context)
        let driver = CallDriver(engine, group, call, client: core, limits: limits)
        driver.transfer.receiver = driver
        let attempt = NetworkAttempt(prepared, url: url)
        attempt.attach(try #require(EasyHandle()), to: driver.transfer)
        attempt.stage = .resolving
        attempt.sending.count = sends
        driver.transfer.attempt = attempt
        driver.transfer.phase = .running
        driver.handle(.deadline(.connect))
        #expect(driver.transfer.attempt == nil)
        isReturned.change { $0 = true }
        let failure = try await failures.first()
        #expect(failure.error?.ferryCode == .connectTimeout)
        #expect(failure.isRepeatable == (sends == 0))
        session.invalidateAndCancel()
    }

    @Test("Where libcurl gives up connecting, a deadline has passed, or a request that was not sent is sent again")
    func connectLimit() throws {
        let session = makeSession()
        let engine = try #require(session.engine)
        let url = try #require(URL(string: "http://unknown-name.invalid/"))
        let prepared = PreparedRequest(url: url.absoluteString, origin: Origin(url), method: "GET")
        for (limit, sends) in [(TimeSpan.zero, 0), (.infinite, 0), (.infinite, 1)] {
            let transfer = Transfer(engine, limits: .init(connect: limit))
            let attempt = NetworkAttempt(prepared, url: url)
            attempt.attach(try #require(EasyHandle()), to: transfer)
            (attempt.stage, attempt.sending.count) = (.resolving, sends)
            transfer.clock.start(at: .now())
            transfer.clock.beginConnecting(at: .now())
            #expect(attempt.missedDeadline(CurlCode.timedOut) == nil && !attempt.needsNewConnection)
            attempt.timing.connectEnd = .now()
            #expect(attempt.missedDeadline(CurlCode.couldNotConnect) == nil)
            #expect(attempt.missedDeadline(CurlCode.timedOut) == (limit == .zero ? .connect : nil))
            #expect(attempt.needsNewConnection == (limit == .infinite && sends == 0))
            #expect(attempt.stage == .none)
        }
        session.invalidateAndCancel()
    }
}
