// swift-tools-version: 6.1
import PackageDescription

// Built by the script `run` in this folder, which creates the copy of Get.
let package = Package(
    name: "DropIn",
    dependencies: [
        .package(name: "Ferry", path: "../../.."),
        .package(url: "https://github.com/Alamofire/Alamofire", exact: "5.12.0"),
        .package(url: "https://github.com/mattt/EventSource", exact: "1.5.1"),
        .package(path: "../../../.build-compatibility/dropin/Get"),
    ],
    targets: [
        .executableTarget(
            name: "DropIn",
            dependencies: [
                "Alamofire", "EventSource", "Get",
                .product(name: "FerrySession", package: "Ferry"),
                .product(name: "FerryTesting", package: "Ferry"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
