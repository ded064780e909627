// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

// The folder must not be called Hummingbird, because a package is identified by the last component of its path or URL.
let package = Package(
    name: "FerryGateway",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Ferry", path: "../../.."),
        .package(name: "FerryObservability", path: "../Observability"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .executableTarget(
            name: "Gateway",
            dependencies: [
                .product(name: "Ferry", package: "Ferry"),
                .product(name: "FerryObservability", package: "FerryObservability"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway",
                .product(name: "FerryTesting", package: "Ferry"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
