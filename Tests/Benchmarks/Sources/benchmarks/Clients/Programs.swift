import BenchmarkSupport
import Foundation

/// The clients' programs: those of this package, and those in C and Rust.
final class Programs {
    let folder: WorkFolder
    private lazy var curlClient = Result { try compile("libcurl/client.c", as: "libcurl-client", ["-lcurl"]) }
    private lazy var socketClient = Result { try compile("websocket/client.c", as: "websocket-client", ["-lpthread"]) }
    private lazy var hyperClient = Result { try buildHyperClient() }
    private(set) lazy var echoServer = Result {
        try compile("websocket/server.c", as: "echo-server", ["-lpthread"])
    }
    private(set) lazy var allocationCounter = Result {
        try compile("libcurl/allocations.c", as: "allocations.so", ["-shared", "-fPIC"])
    }

    init(folder: WorkFolder) {
        self.folder = folder
    }

    /// Builds the clients of this package in the same way as this program.
    func build() throws {
        let place = ["--package-path", Package.root.path, "--scratch-path", Package.scratch.path]
        let child = try Child(["swift", "build", "-c", "release"] + place)
        guard child.wait(seconds: 3600) == 0 else { throw BenchmarkError("the clients could not be built") }
    }

    /// Returns the program of a client such as `ferry:delegate`, or throws the reason why there is none.
    func program(of client: String) throws -> URL {
        let name = client.prefix { $0 != ":" }
        if name == "libcurl" { return try curlClient.get() }
        if name == "ahc" || name == "hyper", ProcessInfo.processInfo.environment["FERRY_BENCHMARKS_PEERS"] == "0" {
            throw BenchmarkError("FERRY_BENCHMARKS_PEERS=0 leaves it out")
        }
        if client == Clients.hyper { return try hyperClient.get() }
        if client == "websocket:c" { return try socketClient.get() }
        if client == "websocket:python" { return Package.root.appending(path: "websocket/client.py") }
        let program = Package.programs.appending(path: "\(name)-client")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw BenchmarkError("\(program.lastPathComponent) is not built")
        }
        return program
    }

    /// Builds the client in Rust from Debian's packages of the sources, without the network.
    private func buildHyperClient() throws -> URL {
        let source = Package.root.appending(path: "hyper")
        let target = Package.scratch.appending(path: "hyper")
        let settings = ["--config", source.appending(path: ".cargo/config.toml").path]
        let places = ["--manifest-path", source.appending(path: "Cargo.toml").path, "--target-dir", target.path]
        do {
            let command = ["cargo"] + settings + ["build", "--release", "--offline"] + places
            _ = try Command.run(command, in: folder.makeFolder("hyper-compiler"), seconds: 900)
        } catch {
            let packages = "librust-hyper-rustls-dev, librust-rustls-pemfile-dev"
            throw BenchmarkError("The hyper client needs cargo and Debian's packages \(packages): \(error)")
        }
        return target.appending(path: "release/hyper-client")
    }

    private func compile(_ source: String, as name: String, _ options: [String]) throws -> URL {
        let program = folder.url.appending(path: name)
        let source = Package.root.appending(path: source)
        do {
            let command = ["cc", "-O2", "-o", program.path, source.path] + options
            _ = try Command.run(command, in: folder.makeFolder("\(name)-compiler"), seconds: 120)
        } catch {
            throw BenchmarkError("\(source.lastPathComponent) needs a C compiler and libcurl's headers: \(error)")
        }
        return program
    }
}
