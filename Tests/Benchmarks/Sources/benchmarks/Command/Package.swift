import Foundation

/// Where this package and its programs are.
enum Package {
    /// The folder of `Package.swift`.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of this program, and of the clients.
    static var programs: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Where this program was built: `<scratch>/<platform>/release` has the programs.
    static var scratch: URL { programs.deletingLastPathComponent().deletingLastPathComponent() }
}
