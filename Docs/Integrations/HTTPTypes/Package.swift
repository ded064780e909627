// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "FerryHTTPTypes",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "FerryHTTPTypes", targets: ["FerryHTTPTypes"])],
    dependencies: [
        .package(name: "Ferry", path: "../../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "FerryHTTPTypes",
            dependencies: [
                .product(name: "Ferry", package: "Ferry"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FerryHTTPTypesTests",
            dependencies: [
                "FerryHTTPTypes",
                .product(name: "FerryTesting", package: "Ferry"),
                .product(name: "HTTPTypesFoundation", package: "swift-http-types"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
