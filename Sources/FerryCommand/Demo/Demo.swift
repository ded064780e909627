enum Demo {
    static func run() async -> ExitStatus { .success }
}
