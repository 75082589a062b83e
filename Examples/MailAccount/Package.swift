// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "MailAccount",
    dependencies: [.package(name: "coffer", path: "../..")],
    targets: [
        .executableTarget(name: "MailAccount", dependencies: [.product(name: "Coffer", package: "coffer")])
    ]
)
