// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Corelibs",
    targets: [.testTarget(name: "TestFoundation", resources: [.copy("Resources")])],
    // The tests that skip themselves are not ready for the Swift 6 language mode.
    swiftLanguageModes: [.v5]
)
