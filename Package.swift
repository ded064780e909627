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
        .library(name: "FerryTesting", targets: ["FerryTesting"]),
        .executable(name: "ferry", targets: ["FerryCommand"]),
    ],
    targets: [
        .target(name: "CFerry", linkerSettings: [.linkedLibrary("dl")]),
        // What the other modules share; it has no public declarations.
        .target(name: "FerrySupport", swiftSettings: settings),
        .target(name: "FerrySession", dependencies: ["CFerry", "FerrySupport"], swiftSettings: settings),
        .target(name: "Ferry", dependencies: ["FerrySession"], swiftSettings: settings),
        .target(name: "FerryOperations", dependencies: ["Ferry", "FerrySession"], swiftSettings: settings),
        .target(name: "FerryXML", dependencies: ["Ferry"], swiftSettings: settings),
        .target(name: "FerryTesting", dependencies: ["FerrySession", "FerrySupport"], swiftSettings: settings),
        .executableTarget(name: "FerryCommand", dependencies: ["Ferry", "FerryTesting"], swiftSettings: settings),
        // What Docs shows, compiled and run by ExamplesTests.
        .target(
            name: "Examples",
            dependencies: ["Ferry"],
            path: "Docs/Examples",
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: ["FerrySession"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(name: "CTestSettings", path: "Tests/CTestSettings"),
        .target(
            name: "ProxySupport",
            dependencies: ["FerryTesting"],
            path: "Tests/ProxySupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerrySessionTests",
            dependencies: ["FerrySession", "FerryTesting", "CTestSettings", "ProxySupport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryTests",
            dependencies: ["Ferry", "FerryOperations", "FerryXML", "FerryTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryOperationsTests",
            dependencies: ["FerryOperations", "FerryTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryCommandTests",
            dependencies: ["FerryCommand", "FerryTesting", "ProxySupport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryTestingTests",
            dependencies: ["FerrySession", "FerryTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["Ferry", "FerryOperations", "FerryXML", "FerryTesting", "ProxySupport", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ExamplesTests",
            dependencies: ["Examples", "FerryTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["Ferry", "FerryOperations", "FerryXML", "FerryTesting", "ProxySupport", "TestSupport"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

// .ci/run tests the session and the managers' concurrency with the thread sanitizer, and names the files of the tests that
// this takes.
if let named = Context.environment["FERRY_SANITIZED"] {
    let files = named.split { $0.isWhitespace }
    let others: Set = [
        "FerryCommand", "FerryCommandTests", "FerryTestingTests", "DocumentationTests", "Examples", "ExamplesTests",
    ]
    package.targets.removeAll { others.contains($0.name) }
    package.products.removeAll { $0.name == "ferry" }
    for target in package.targets where target.isTest {
        let folder = "Tests/\(target.name)/"
        target.sources = files.filter { $0.hasPrefix(folder) }.map { String($0.dropFirst(folder.count)) }
    }
}
