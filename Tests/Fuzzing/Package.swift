// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

// Built by the script `run`, which passes the sanitizers' flags and libFuzzer's library.
let package = Package(
    name: "FerryFuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Ferry", path: "../..")],
    targets: [
        .target(name: "CFuzzer", linkerSettings: [.linkedLibrary("stdc++")]),
        .target(name: "FuzzSupport", dependencies: ["CFuzzer"], swiftSettings: settings),
        .executableTarget(
            name: "fuzz-session",
            dependencies: ["FuzzSupport", .product(name: "FerrySession", package: "Ferry")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "fuzz-ferry",
            dependencies: [
                "FuzzSupport",
                .product(name: "Ferry", package: "Ferry"),
                .product(name: "FerryAPI", package: "Ferry"),
                .product(name: "FerryOperations", package: "Ferry"),
                .product(name: "FerryXML", package: "Ferry"),
                .product(name: "FerryTesting", package: "Ferry"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
