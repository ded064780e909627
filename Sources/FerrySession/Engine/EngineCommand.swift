/// What the engine is asked to do, by tasks and by itself.
enum EngineCommand: Sendable {
    /// What the exchange's task asks for.
    case task(TaskCommand, Exchange)
    /// The stream of the request's body has bytes again.
    case bodyAvailable(Exchange)
    /// An evaluator or a policy has decided about a connection that the exchange waits for.
    case trustDecided(Exchange, TrustQuestion, TrustDecision)
    /// A policy has said what libcurl verifies for the exchange's host.
    case verificationKnown(Exchange)
    /// Ends the validations of stored responses that no task waits for.
    case cancelRevalidations
}
