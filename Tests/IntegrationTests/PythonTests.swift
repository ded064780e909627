import Ferry
import Testing

/// The tests that run against Python's HTTP server, whose parsers of forms, JSON, property lists and multipart bodies
/// are independent of Ferry's.
@Suite(
    "Python",
    .serialized,
    .enabled(if: PythonServer.isWanted, "python3 is not installed: apt-get install python3"),
    .timeLimit(.minutes(10))
)
enum PythonTests {}
