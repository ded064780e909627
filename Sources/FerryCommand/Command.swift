import Ferry

/// The `ferry` command: parses the arguments, runs the action and returns the exit status.
enum Command {
    static func run(_ arguments: [String], program: String = "ferry") async -> ExitStatus {
        // Writing to a closed pipe must return EPIPE instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        let console = Console()
        do {
            switch try Action(parsing: arguments) {
            case .demonstrate: return await Demo.run()
            case .showHelp: return await show(HelpText.text, console)
            case .showVersion: return await show(Version.text(), console)
            case .fetch(let options):
                return await FetchCommand(options: options, program: program, arguments: arguments).run()
            }
        } catch {
            console.error(error.message + " (ferry --help lists the options)")
            return .usage
        }
    }

    private static func show(_ text: String, _ console: Console) async -> ExitStatus {
        do {
            try await StreamOutput.standard.write(Data(text.utf8))
            return .success
        } catch let failure as CommandFailure {
            if failure.status != .brokenPipe { console.error(failure.message) }
            return failure.status
        } catch {
            return .file
        }
    }
}
