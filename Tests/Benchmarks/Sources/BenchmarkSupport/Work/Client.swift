import Foundation

/// The main function of a client's process: reads the order, does the work, prints the sample as one line of JSON.
public enum Client {
    /// Runs a client; an error is printed, and ends the process with status 1.
    public static func run(_ perform: @Sendable (WorkOrder) async throws -> Sample) async {
        // A server that closes its connection is an error to report, and must not end the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            let order = try WorkOrder(arguments: Array(CommandLine.arguments.dropFirst()))
            let sample = try await perform(order)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            print(String(decoding: try encoder.encode(sample), as: UTF8.self))
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
