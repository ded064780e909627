import Ferry
import Testing

/// The tests that run against servers of the `openssl` command.
@Suite(
    "OpenSSL",
    .serialized,
    .enabled(if: OpenSSLServer.isWanted, "openssl is not installed: apt-get install openssl"),
    .timeLimit(.minutes(10))
)
enum OpenSSLTests {}
