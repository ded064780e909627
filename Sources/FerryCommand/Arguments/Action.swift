/// The action that the arguments ask for.
enum Action: Equatable, Sendable {
    case demonstrate
    case showHelp
    case showVersion
    case fetch(FetchOptions)
}
