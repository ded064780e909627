// swift-tools-version: 6.0
import PackageDescription

// All integrations in one package, so that Ferry and the dependencies are built once for all of their tests. A program
// depends only on the package in the folder of one integration.
let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let ferry = Target.Dependency.product(name: "Ferry", package: "Ferry")
let ferryTesting = Target.Dependency.product(name: "FerryTesting", package: "Ferry")

let package = Package(
    name: "FerryIntegrations",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Ferry", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    ],
    targets: [
        .target(
            name: "FerryHTTPTypes",
            dependencies: [ferry, .product(name: "HTTPTypes", package: "swift-http-types")],
            path: "HTTPTypes/Sources/FerryHTTPTypes",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryHTTPTypesTests",
            dependencies: [
                "FerryHTTPTypes", ferryTesting, .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
            ],
            path: "HTTPTypes/Tests/FerryHTTPTypesTests",
            swiftSettings: settings
        ),
        .target(
            name: "FerryObservability",
            dependencies: [
                ferry,
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Observability/Sources/FerryObservability",
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryObservabilityTests",
            dependencies: [
                "FerryObservability",
                ferryTesting,
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            path: "Observability/Tests/FerryObservabilityTests",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Gateway",
            dependencies: [ferry, "FerryObservability", .product(name: "Hummingbird", package: "hummingbird")],
            path: "HummingbirdServer/Sources/Gateway",
            swiftSettings: settings
        ),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", ferryTesting, .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            path: "HummingbirdServer/Tests/GatewayTests",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
