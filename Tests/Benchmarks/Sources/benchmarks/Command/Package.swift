import Foundation

/// The folders of this package and its programs.
enum Package {
    /// The folder of `Package.swift`.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of this program and of the clients.
    static var programs: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// The scratch folder of this program's build; the programs are in `<scratch>/<platform>/release`.
    static var scratch: URL { programs.deletingLastPathComponent().deletingLastPathComponent() }
}
