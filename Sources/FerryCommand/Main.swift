import Ferry

@main
enum FerryMain {
    static func main() async {
        let status = await Command.run(
            Array(CommandLine.arguments.dropFirst()),
            program: CommandLine.arguments.first ?? "ferry"
        )
        exit(status.rawValue)
    }
}
