import BenchmarkSupport
import Foundation

/// Runs all clients in turns, and reports which targets are met.
@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            #if DEBUG
            throw BenchmarkError("Measuring needs a release build: swift run -c release …")
            #else
            let options = try RunOptions(Array(CommandLine.arguments.dropFirst()))
            if options.showsHelp {
                print(RunOptions.help)
            } else {
                try measure(options)
            }
            exit(0)
            #endif
        } catch {
            FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
            exit(1)
        }
    }
    private static func measure(_ options: RunOptions) throws {
        guard let task = options.costs else {
            _ = try Run(options).perform()
            return
        }
        if let reason = try task.reasonToSkip() { return print("The costs are not compared: \(reason)") }
        try task.finish(Run(options).perform(isSettled: task.isSettled()))
    }
}
