// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Corelibs",
    targets: [.testTarget(name: "TestFoundation", resources: [.copy("Resources")])],
    // The tests that skip themselves are not ready for Swift 6.
    swiftLanguageModes: [.v5]
)
