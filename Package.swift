// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "Ferry",
    products: [
        .library(name: "Ferry", targets: ["Ferry"]),
        .library(name: "FerrySession", targets: ["FerrySession"]),
        .library(name: "FerryOperations", targets: ["FerryOperations"]),
        .library(name: "FerryXML", targets: ["FerryXML"]),
        .library(name: "FerryAPI", targets: ["FerryAPI"]),
        .library(name: "FerryAssets", targets: ["FerryAssets"]),
        .library(name: "FerryStreams", targets: ["FerryStreams"]),
        .library(name: "FerryTransfers", targets: ["FerryTransfers"]),
        .library(name: "FerryWebSockets", targets: ["FerryWebSockets"]),
        .library(name: "FerryTesting", targets: ["FerryTesting"]),
        .executable(name: "ferry", targets: ["FerryCommand"]),
    ],
    targets: [
        .target(name: "CFerry", linkerSettings: [.linkedLibrary("dl")]),
        // What the other modules share: URLs, header fields, files, the rules of HTTP. It knows no libcurl and no session.
        .target(name: "FerryCore", swiftSettings: settings),
        // Handles of libcurl and the thread that has them, connections, TLS, routes. It knows no task and no cache.
        .target(name: "FerryCurl", dependencies: ["CFerry", "FerryCore"], swiftSettings: settings),
        // Stored responses, in memory and on disk. It knows no engine.
        .target(name: "FerryCache", dependencies: ["FerryCore"], swiftSettings: settings),
        .target(
            name: "FerrySession",
            dependencies: ["FerryCache", "FerryCore", "FerryCurl"],
            swiftSettings: settings
        ),
        // Parameters, forms, serializers and errors. It knows no session.
        .target(name: "FerryFormats", dependencies: ["FerryCore"], swiftSettings: settings),
        .target(name: "Ferry", dependencies: ["FerryFormats", "FerrySession"], swiftSettings: settings),
        .target(name: "FerryOperations", dependencies: ["Ferry", "FerrySession"], swiftSettings: settings),
        .target(name: "FerryXML", dependencies: ["Ferry"], swiftSettings: settings),
        // OAuth 2.0, API keys, signatures, Link fields, pages of lists, and problem details.
        .target(name: "FerryAPI", dependencies: ["Ferry", "FerrySession"], swiftSettings: settings),
        // Downloads of assets and their cache, images, and the activity of all managers.
        .target(name: "FerryAssets", dependencies: ["Ferry"], swiftSettings: settings),
        // WebSockets (RFC 6455), on tasks of a session.
        .target(
            name: "FerryWebSockets",
            dependencies: ["CFerry", "Ferry", "FerrySession"],
            swiftSettings: settings
        ),
        // Events that go on after a lost connection, and values of JSON as they arrive.
        .target(
            name: "FerryStreams",
            dependencies: ["Ferry", "FerryCore", "FerryFormats", "FerrySession"],
            swiftSettings: settings
        ),
        // Downloads to a file: verified, over several connections, from mirrors.
        .target(
            name: "FerryTransfers",
            dependencies: ["CFerry", "FerryAPI", "FerryCore", "FerrySession"],
            swiftSettings: settings
        ),
        .target(name: "FerryTesting", dependencies: ["FerryCore", "FerrySession"], swiftSettings: settings),
        .executableTarget(
            name: "FerryCommand",
            dependencies: ["Ferry", "FerryStreams", "FerryTesting", "FerryTransfers", "FerryWebSockets"],
            swiftSettings: settings
        ),
        // What Docs shows, compiled and run by ExamplesTests.
        .target(
            name: "Examples",
            dependencies: ["Ferry", "FerryWebSockets"],
            path: "Docs/Examples",
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: ["FerryCache", "FerryCore", "FerryFormats", "FerrySession"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(name: "CTestSettings", path: "Tests/CTestSettings"),
        .target(name: "CSimulation", path: "Tests/CSimulation"),
        .target(
            name: "ProxySupport",
            dependencies: ["FerryTesting"],
            path: "Tests/ProxySupport",
            swiftSettings: settings
        ),
        .target(
            name: "ManagerSupport",
            dependencies: ["Ferry", "FerryOperations", "FerryTesting", "TestSupport"],
            path: "Tests/ManagerSupport",
            swiftSettings: settings
        ),
        .target(
            name: "NginxSupport",
            dependencies: ["Ferry", "TestSupport"],
            path: "Tests/NginxSupport",
            swiftSettings: settings
        ),
        .target(
            name: "WebSocketSupport",
            dependencies: ["Ferry", "NginxSupport", "TestSupport"],
            path: "Tests/WebSocketSupport",
            swiftSettings: settings
        ),
        .testTarget(name: "FerryCoreTests", dependencies: ["FerryCore", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "FerryCacheTests",
            dependencies: ["FerryCache", "FerryTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(name: "FerryFormatsTests", dependencies: ["FerryFormats", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "FerrySessionTests",
            dependencies: [
                "FerryCurl", "FerrySession", "FerryTesting", "CTestSettings", "ProxySupport", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryTests",
            dependencies: [
                "Ferry", "FerryAPI", "FerryAssets", "FerryOperations", "FerryXML", "FerryTesting", "ManagerSupport",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryOperationsTests",
            dependencies: ["FerryAssets", "FerryOperations", "FerryTesting", "ManagerSupport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryAPITests",
            dependencies: ["FerryAPI", "FerryTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryAssetsTests",
            dependencies: ["FerryAssets", "FerryTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryStreamsTests",
            dependencies: ["FerryStreams", "FerryTesting", "NginxSupport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryTransfersTests",
            dependencies: ["FerryTransfers", "FerryTesting", "NginxSupport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryWebSocketsTests",
            dependencies: ["FerryWebSockets", "NginxSupport", "TestSupport", "WebSocketSupport"],
            swiftSettings: settings
        ),
        // What the thread sanitizer watches besides the session: managers, operations and serializers on many threads.
        .testTarget(
            name: "ConcurrencyTests",
            dependencies: [
                "Ferry", "FerryAssets", "FerryOperations", "FerryTesting", "ManagerSupport", "NginxSupport",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
        // Whole sessions over a network and a clock that are simulated.
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "CFerry", "CSimulation", "Ferry", "FerryCore", "FerryCurl", "FerrySession", "FerryStreams",
                "FerryTransfers", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryCommandTests",
            dependencies: ["FerryCommand", "FerryTesting", "ProxySupport", "TestSupport", "WebSocketSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryTestingTests",
            dependencies: ["FerrySession", "FerryTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Ferry", "FerryAPI", "FerryAssets", "FerryOperations", "FerryStreams", "FerryTransfers",
                "FerryWebSockets", "FerryXML", "FerryTesting",
                "ProxySupport", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExamplesTests",
            dependencies: ["Examples", "FerryTesting", "TestSupport", "WebSocketSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Ferry", "FerryOperations", "FerryXML", "FerryTesting", "NginxSupport", "ProxySupport", "TestSupport",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

// .ci/sanitize builds neither the targets that it does not run, nor what only these use.
if let names = Context.environment["FERRY_WITHOUT"]?.split(separator: " ").map(String.init) {
    package.products.removeAll { names.contains($0.name) }
    package.targets.removeAll { names.contains($0.name) }
}
