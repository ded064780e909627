import Ferry
import Testing

/// Everything that is tried against a real nginx; the suites inside run one after another, since some of them keep both
/// the server and the disk busy.
@Suite(
    "nginx",
    .serialized,
    .enabled(if: NginxServer.isWanted, "nginx or openssl is not installed: apt-get install nginx-full openssl"),
    .timeLimit(.minutes(2))
)
enum NginxTests {}
