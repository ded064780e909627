/// What the command is to do.
enum Action: Equatable, Sendable {
    case demonstrate
    case showHelp
    case showVersion
    case fetch(FetchOptions)
}
