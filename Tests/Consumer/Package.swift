// swift-tools-version: 6.2

import PackageDescription

// The documents that have Swift snippets; run.py writes each one's program, and fails when one is missing here.
let documents = ["README", "Coffer"]

// Only public interfaces can be used from here, with the settings that a package has when it asks for none.
let package = Package(
    name: "consumer",
    dependencies: [.package(name: "coffer", path: "../..")],
    targets: documents.map { document in
        .executableTarget(
            name: "\(document)Snippets", dependencies: [.product(name: "Coffer", package: "coffer")],
            path: "Programs/\(document)")
    }
)
