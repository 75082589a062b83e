// swift-tools-version: 6.2

import PackageDescription

// What the README and the articles are snippets of; run.py writes the sources, and fails when one is missing here.
let programs = [
    "README", "Coffer", "GettingStarted", "SettingsAndDefaults", "HandlingSecrets", "AutoLockAndObservation",
    "MoveSettings", "Mail", "UsingTheAgent",
]

// Only public interfaces can be used from here, with the settings that a package has when it asks for none.
let package = Package(
    name: "consumer",
    dependencies: [.package(name: "coffer", path: "../..")],
    targets: programs.map { name in
        .executableTarget(
            name: "\(name)Snippets",
            dependencies: [
                .product(name: "Coffer", package: "coffer"), .product(name: "CofferAgentClient", package: "coffer"),
            ],
            path: ".programs/\(name)")
    }
)
