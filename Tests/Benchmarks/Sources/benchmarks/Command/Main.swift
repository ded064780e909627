import BenchmarkSupport
import Foundation

/// Runs everything, interleaved, and says which targets are met.
@main
enum Main {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            #if DEBUG
            throw BenchmarkError("Only a release build measures: swift run -c release …")
            #else
            let options = try RunOptions(Array(CommandLine.arguments.dropFirst()))
            if options.showsHelp {
                print(RunOptions.help)
            } else {
                try Run(options).perform()
            }
            exit(0)
            #endif
        } catch {
            FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
            exit(1)
        }
    }
}
