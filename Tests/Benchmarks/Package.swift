// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

/// Whether AsyncHTTPClient is measured too, whose first build takes ten minutes.
let measuresPeers = Context.environment["FERRY_BENCHMARKS_PEERS"] != "0"

var dependencies: [Package.Dependency] = [.package(name: "Ferry", path: "../..")]

var targets: [Target] = [
    .target(name: "BenchmarkSupport", swiftSettings: settings),
    .target(name: "SessionWorkloads", dependencies: ["BenchmarkSupport"], swiftSettings: settings),
    .executableTarget(
        name: "ferry-client",
        dependencies: [
            "BenchmarkSupport", "SessionWorkloads",
            .product(name: "Ferry", package: "Ferry"),
            .product(name: "FerryOperations", package: "Ferry"),
            .product(name: "FerryWebSockets", package: "Ferry"),
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "urlsession-client",
        dependencies: ["BenchmarkSupport", "SessionWorkloads"],
        swiftSettings: settings
    ),
    .executableTarget(name: "benchmarks", dependencies: ["BenchmarkSupport"], swiftSettings: settings),
    .testTarget(name: "BenchmarkSupportTests", dependencies: ["BenchmarkSupport"], swiftSettings: settings),
]

if measuresPeers {
    dependencies += [
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
    ]
    targets.append(
        .executableTarget(
            name: "ahc-client",
            dependencies: [
                "BenchmarkSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings
        )
    )
}

// Only on request, since it is measured for its interceptors alone.
if Context.environment["FERRY_BENCHMARKS_ALAMOFIRE"] == "1" {
    dependencies.append(.package(url: "https://github.com/Alamofire/Alamofire", from: "5.12.0"))
    targets.append(
        .executableTarget(
            name: "alamofire-client",
            dependencies: [
                "BenchmarkSupport", "SessionWorkloads", .product(name: "Alamofire", package: "Alamofire"),
            ],
            swiftSettings: settings
        )
    )
}

// Only on request, since it tests internals: `-Xswiftc -enable-testing` must be set.
if Context.environment["FERRY_BENCHMARKS_CACHE"] == "1" {
    targets.append(
        .executableTarget(
            name: "cache-benchmark",
            dependencies: [.product(name: "FerrySession", package: "Ferry")],
            swiftSettings: settings
        )
    )
}

let package = Package(
    name: "FerryBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: dependencies,
    targets: targets,
    swiftLanguageModes: [.v6]
)
