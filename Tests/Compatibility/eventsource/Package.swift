// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "EventSource",
    targets: [
        .target(name: "EventSource"),
        .testTarget(name: "EventSourceTests", dependencies: ["EventSource"]),
    ]
)
