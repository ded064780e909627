import Ferry
import Hummingbird
import Logging

/// Runs the gateway on port 8080, for the service whose URL is in the environment variable `SERVICE_URL`.
///
/// A real server sets up its tracer, metrics and logs first, with `InstrumentationSystem.bootstrap` and the like.
@main struct Main {
    static func main() async throws {
        let text = ProcessInfo.processInfo.environment["SERVICE_URL"]
        guard let url = text.flatMap({ URL(string: $0) }), url.host?.isEmpty == false else {
            let message = "Set SERVICE_URL to the http or https URL of the service\n"
            try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
            exit(EXIT_FAILURE)
        }
        let gateway = Gateway(service: url, deadline: 2, logger: Logger(label: "gateway"))
        try await gateway.application(.hostname("127.0.0.1", port: 8080)).runService()
    }
}
