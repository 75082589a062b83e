// swift-tools-version: 6.2

import Glibc
import PackageDescription

let package = Package(
    name: "coffer",
    products: [
        .library(name: "Coffer", targets: ["Coffer"]),
        .library(name: "CofferAgentClient", targets: ["CofferAgentClient"]),
        .executable(name: "coffer", targets: ["CofferTool"]),
    ],
    targets: [
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .target(name: "CSystem"),

        .target(name: "SecureMemory", dependencies: ["CSodium", "CUTF8Proc", "CSystem"]),
        .target(name: "PropertyLists", dependencies: ["SecureMemory"]),
        .target(name: "VaultFile", dependencies: ["SecureMemory", "PropertyLists", "CSodium", "CSystem"]),
        .target(name: "Coffer", dependencies: ["SecureMemory", "PropertyLists", "VaultFile", "CSystem"]),
        .target(
            name: "CofferAgent", dependencies: ["Coffer", "VaultFile", "PropertyLists", "SecureMemory", "CSystem"]),
        .target(
            name: "CofferAgentClient",
            dependencies: ["CofferAgent", "Coffer", "VaultFile", "PropertyLists", "SecureMemory"]),
        .target(
            name: "CofferCommands",
            dependencies: ["CofferAgent", "Coffer", "VaultFile", "PropertyLists", "SecureMemory", "CSystem"]),
        .executableTarget(
            name: "CofferTool", dependencies: ["CofferCommands", "SecureMemory"], exclude: ["Support"]),

        // What the tests share: vectors and corpus, throw-away vaults, child processes, memory scans.
        .target(
            name: "TestSupport", dependencies: ["Coffer", "VaultFile", "PropertyLists", "SecureMemory", "CSystem"],
            path: "Tests/TestSupport"),
        // A program that holds secrets and then locks, for the tests to scan from outside.
        .executableTarget(
            name: "ResidueProbe", dependencies: ["Coffer", "CofferAgent", "VaultFile"], path: "Tests/ResidueProbe"),
        // A program that adds one to a number, for several processes to do so at once.
        .executableTarget(name: "UpdateProbe", dependencies: ["Coffer"], path: "Tests/UpdateProbe"),
        // Many threads on one vault, for `make stress` and a short test.
        .executableTarget(
            name: "StressProbe", dependencies: ["Coffer", "VaultFile", "SecureMemory"], path: "Tests/StressProbe"),
        // Files, lists and frames of strangers, judged and measured one after the other, for the proof.
        .executableTarget(
            name: "HostileProbe",
            dependencies: ["Coffer", "CofferAgent", "VaultFile", "PropertyLists", "SecureMemory", "TestSupport"],
            path: "Tests/HostileProbe"),
        .testTarget(name: "SecureMemoryTests", dependencies: ["SecureMemory", "CSystem", "TestSupport"]),
        .testTarget(
            name: "PropertyListsTests", dependencies: ["PropertyLists", "SecureMemory", "TestSupport"],
            exclude: ["Corpus"]),
        .testTarget(
            name: "VaultFileTests",
            dependencies: ["VaultFile", "PropertyLists", "SecureMemory", "CSodium", "CSystem", "TestSupport"]),
        .testTarget(
            name: "CofferTests",
            dependencies: [
                "Coffer", "VaultFile", "PropertyLists", "SecureMemory", "UpdateProbe", "StressProbe", "TestSupport",
            ]),
        .testTarget(
            name: "CofferCommandsTests",
            dependencies: [
                "CofferCommands", "CofferTool", "CofferAgent", "Coffer", "VaultFile", "PropertyLists", "SecureMemory",
                "TestSupport",
            ]),
        .testTarget(
            name: "CofferAgentTests",
            dependencies: [
                "CofferAgent", "CofferAgentClient", "CofferTool", "Coffer", "VaultFile", "PropertyLists",
                "SecureMemory", "CSystem", "TestSupport",
            ]),
        .testTarget(
            name: "AgentProgramTests",
            dependencies: [
                "CofferAgent", "CofferTool", "ResidueProbe", "Coffer", "VaultFile", "PropertyLists", "SecureMemory",
                "CSystem", "TestSupport",
            ]),
        .testTarget(name: "ResidueTests", dependencies: ["ResidueProbe", "CofferTool", "Coffer", "TestSupport"]),
    ]
)

// What locks before the machine sleeps needs libsystemd; without its headers everything else is built.
if access("/usr/include/systemd/sd-bus.h", R_OK) == 0 {
    package.products.append(.executable(name: "coffer-logind", targets: ["CofferLogind"]))
    package.targets += [
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .executableTarget(name: "CofferLogind", dependencies: ["CofferAgent", "Coffer", "VaultFile", "CSystemd"]),
    ]
}

// What `make fuzz` builds; without libFuzzer it has no entry point and does not link.
if Context.environment["COFFER_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: ["CofferAgent", "CofferCommands", "Coffer", "VaultFile", "PropertyLists", "SecureMemory"],
            path: "Tests/Fuzz", exclude: ["Seeds", "run.py"]))
}

// One set of rules for all Swift code: Swift 6 mode (from the tools version), unsafe code marked, warnings fatal.
for target in package.targets where target.type != .system && target.name != "CSystem" {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableExperimentalFeature("Lifetimes"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
