import InMemoryTracing
import Synchronization
import Tracing

/// A tracer that keeps its spans in memory, and sends their context as a `traceparent` field (W3C Trace Context).
struct TraceContextTracer: Tracer {
    let memory: InMemoryTracer

    init() {
        let numbers = Numbers()
        memory = InMemoryTracer(
            idGenerator: InMemoryTracer.IDGenerator(
                nextTraceID: { Self.hexadecimal(numbers.next(), digits: 32) },
                nextSpanID: { Self.hexadecimal(numbers.next(), digits: 16) }
            )
        )
    }

    private final class Numbers: Sendable {
        private let last = Mutex(0)

        func next() -> Int {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    private static func hexadecimal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// Returns the field that is sent for a span.
    static func field(_ span: FinishedInMemorySpan) -> String { "00-\(span.traceID)-\(span.spanID)-01" }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    func forceFlush() { memory.forceFlush() }

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
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
    }
}

extension FinishedInMemorySpan {
    /// Returns the text of an attribute, or `nil` if the span does not have it.
    func text(_ name: String) -> String? {
        switch attributes.get(name) {
        case .string(let text): text
        case .int32(let number): "\(number)"
        case .int64(let number): "\(number)"
        case .bool(let value): "\(value)"
        case nil: nil
        case let other: "\(String(describing: other))"
        }
    }
}
