import Synchronization
import Tracing

/// A tracer that calls closures before a span begins and ends, and counts how often each span has ended.
struct CallbackTracer: Tracer {
    /// The events of a span.
    struct Record: Sendable {
        let id: Int
        let name: String
        let parent: Int?
        var resendCount: Int?
        var ends = 0
    }

    /// The number of a span in its context.
    private enum NumberKey: ServiceContextKey {
        typealias Value = Int
    }

    final class Log: Sendable {
        private let records = Mutex<[Record]>([])

        var all: [Record] { records.withLock { $0 } }

        fileprivate func add(_ name: String, parent: Int?) -> Int {
            records.withLock { records in
                records.append(Record(id: records.count, name: name, parent: parent))
                return records.count - 1
            }
        }

        fileprivate func change(_ id: Int, _ change: (inout Record) -> Void) {
            records.withLock { change(&$0[id]) }
        }
    }

    struct CountedSpan: Tracing.Span {
        let id: Int
        let context: ServiceContext
        fileprivate let log: Log
        fileprivate let willEnd: @Sendable (String) -> Void

        var operationName: String {
            get { log.all[id].name }
            nonmutating set {}
        }
        var attributes: SpanAttributes {
            get { [:] }
            nonmutating set {
                guard case .int64(let count) = newValue.get("http.request.resend_count") else { return }
                log.change(id) { $0.resendCount = Int(count) }
            }
        }
        var isRecording: Bool { true }

        func setStatus(_ status: SpanStatus) {}
        func addEvent(_ event: SpanEvent) {}
        func addLink(_ link: SpanLink) {}
        func recordError<Instant: TracerInstant>(
            _ error: any Error,
            attributes: SpanAttributes,
            at instant: @autoclosure () -> Instant
        ) {}

        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            willEnd(operationName)
            log.change(id) { $0.ends += 1 }
        }
    }

    let log = Log()
    var willBegin: @Sendable (String) -> Void = { _ in }
    var willEnd: @Sendable (String) -> Void = { _ in }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> CountedSpan {
        willBegin(operationName)
        var context = context()
        let id = log.add(operationName, parent: context[NumberKey.self])
        context[NumberKey.self] = id
        return CountedSpan(id: id, context: context, log: log, willEnd: willEnd)
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let id = context[NumberKey.self] else { return }
        injector.inject("\(id)", forKey: "X-Span", into: &carrier)
    }
}
