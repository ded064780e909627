import Ferry

/// The `ferry` command: parses the arguments, runs the action and returns the exit status.
enum Command {
    static func run(_ arguments: [String], program: String = "ferry") async -> ExitStatus {
        // Writing to a closed pipe must return EPIPE instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let console = Console()
        do throws(UsageError) {
            let groups = try ArgumentScanner.groups(arguments)
            let actions = try groups.map { (arguments) throws(UsageError) in try Action(parsing: arguments) }
            if let other = actions.first(where: { !$0.isTransfer }) {
                if actions.count > 1, let name = other.loneName {
                    throw UsageError("--next cannot be combined with \(name)")
                }
                return await perform(other, console)
            }
            return await transfer(actions, groups, program)
        } catch {
            console.error(error.message + " (ferry --help lists the options)")
            return .usage
        }
    }

    /// Runs the transfers of each group, and returns the status of the first one that failed.
    private static func transfer(_ actions: [Action], _ groups: [[String]], _ program: String) async -> ExitStatus {
        let watcher = SignalWatcher()
        var result = ExitStatus.success
        for case (.fetch(let options), let arguments) in zip(actions, groups) {
            if let interruption = watcher.interruption { return interruption }
            let command = FetchCommand(options: options, program: program, arguments: arguments, watcher: watcher)
            let status = await command.run()
            if result == .success { result = status }
            if status == .brokenPipe || status.signal != nil { return status }
        }
        return result
    }

    private static func perform(_ action: Action, _ console: Console) async -> ExitStatus {
        switch action {
        case .showUsage:
            console.line(HelpText.usage + "\n\nferry --help lists the options.")
            return .usage
        case .demonstrate: return await Demo.run()
        case .showHelp: return await show(HelpText.text, console)
        case .showVersion: return await show(Version.text(), console)
        case .showCompletion(let shell): return await show(shell.text, console)
        case .webSocket(let options): return await WebSocketCommand(options: options, watcher: SignalWatcher()).run()
        case .stream(let format, let options):
            return await StreamCommand(options: options, format: format, watcher: SignalWatcher()).run()
        case .queue(let action): return await QueueCommand(action: action, watcher: SignalWatcher()).run()
        case .fetch: return .success
        }
    }

    static func show(_ text: String, _ console: Console) async -> ExitStatus {
        do {
            try await OutputDescriptor.standardOutput.write(Data(text.utf8))
            return .success
        } catch let failure as CommandFailure {
            if failure.status != .brokenPipe { console.error(failure.message) }
            return failure.status
        } catch {
            return .file
        }
    }
}

@main
enum FerryMain {
    /// Runs the command in a task, for which the main thread waits.
    ///
    /// After an asynchronous `main`, the main thread ends by `pthread_exit`. In a program that is one static file, this
    /// sorts the tables of all functions, which takes 20 ms.
    static func main() {
        // First of all: another descriptor could get the number of a closed one.
        ProcessDescriptor.openStandard()
        Task.detached {
            let status = await status()
            if status.signal != nil {
                fflush(nil)
                status.endProcess()
            }
            exit(status.rawValue)
        }
        while true { pause() }
    }

    private static func status() async -> ExitStatus {
        // Swift replaces bytes that are not UTF-8, so that another file would be used.
        if let index = CommandLine.arguments.indices.first(where: { !isText(CommandLine.unsafeArgv[$0]) }) {
            let argument = UsageError.shown(CommandLine.arguments[index])
            Console().error("Argument \(index) is not UTF-8 text: \(argument)")
            return .usage
        }
        let program = CommandLine.arguments.first ?? "ferry"
        return await Command.run(Array(CommandLine.arguments.dropFirst()), program: program)
    }

    private static func isText(_ argument: UnsafeMutablePointer<CChar>?) -> Bool {
        argument.flatMap { String(validatingCString: $0) } != nil
    }
}

enum Version {
    static let ferry = "0.1.0"

    static var userAgent: String { "ferry/\(ferry)" }

    /// Returns the output of `--version`.
    static func text() -> String {
        var lines = ["ferry \(ferry)"]
        do {
            let runtime = try CurlRuntime.current()
            lines.append("libcurl \(runtime.version)" + (runtime.tlsBackend.map { ", \($0)" } ?? ", no TLS"))
            var features = runtime.contentCodings
            if runtime.supportsHTTP2 { features.append("HTTP/2") }
            if runtime.supportsHTTP3 { features.append("HTTP/3") }
            if runtime.supportsInternationalNames { features.append("IDN") }
            if runtime.supportsPublicSuffixes { features.append("PSL") }
            lines.append("features: " + features.joined(separator: ", "))
        } catch {
            lines.append(error.localizedDescription)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
