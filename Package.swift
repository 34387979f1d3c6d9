// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Floors, targets, levels and arrows; docs/architecture.md says what each target owns. A floor is a folder of Sources and of Tests.
// `make layers` compares this list with every import in the sources, and reads the levels here: a target stands on the level of the
// last heading above it. An arrow points down or sideways; in a group that is headed "apart" never sideways, and in one that is
// headed "pure" to nothing between the platform and it.

/// Set by `make fuzz`: everything is built with coverage for the fuzzer, and the program in Tests/Fuzz is a target.
let isFuzzing = Context.environment["SALLYPORT_FUZZ"] != nil

/// Set by `make release`; in C, so that another commit compiles one file again and links.
let commit = Context.environment["SALLYPORT_COMMIT"].map { [CSetting.define("SALLYPORT_COMMIT", to: "\"\($0)\"")] }

/// Set by `make test T=Target`, which builds one target of tests and what it needs.
///
/// Not a `SALLYPORT_` name: tests start the program, which refuses the ones it does not know.
let onlyTests = Context.environment["ONLY_TESTS"]

/// Coverage for the fuzzer; readers that no other target sees are called through `@testable`.
let fuzzed: [SwiftSetting] =
    isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])] : []

let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
    ] + fuzzed

/// For code that Xcode builds, too.
let portable: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
    ] + fuzzed

/// A target and its tests.
struct Part {
    let name: String
    /// What it imports beside what is usual on its floor.
    var imports: [String] = []
    /// What its tests import beside it and what it imports itself; `nil` where it has none.
    var tests: [String]?
    /// Folders of its tests that are copied beside them.
    var resources: [String] = []
    /// Makes the target of itself, what it imports and its folder; `nil` where there are tests only.
    var make: ((Part, [String], String) -> Target)? = { part, imports, path in
        .target(name: part.name, dependencies: imports.map { .byName(name: $0) }, path: path, swiftSettings: strict)
    }
}

/// A target of Swift.
func part(_ name: String, _ imports: [String] = [], tests: [String]? = nil, resources: [String] = []) -> Part {
    Part(name: name, imports: imports, tests: tests, resources: resources)
}

/// A program.
func program(_ name: String, _ imports: [String]) -> Part {
    Part(name: name, imports: imports) { part, imports, path in
        .executableTarget(
            name: part.name,
            dependencies: imports.map { .byName(name: $0) },
            path: path,
            swiftSettings: strict
        )
    }
}

/// Sources in C.
func csources(_ name: String, settings: [CSetting]? = nil) -> Part {
    Part(name: name) { part, _, path in .target(name: part.name, path: path, cSettings: settings) }
}

/// A library of the system.
func clibrary(_ name: String, pkgConfig: String, apt: String) -> Part {
    Part(name: name) { part, _, path in
        .systemLibrary(name: part.name, path: path, pkgConfig: pkgConfig, providers: [.apt([apt])])
    }
}

/// Tests of more than one target.
func tests(_ name: String, _ imports: [String], resources: [String] = []) -> Part {
    Part(name: name, tests: imports, resources: resources, make: nil)
}

/// A folder of Sources and of Tests.
struct Floor {
    let name: String
    /// What any of its targets may import.
    let usual: [String]
    let parts: [Part]

    init(_ name: String, usual: [String] = [], _ parts: [Part]) {
        self.name = name
        self.usual = usual
        self.parts = parts
    }

    var targets: [Target] {
        parts.flatMap { part -> [Target] in
            let imports = usual.filter { $0 != part.name } + part.imports
            let target = part.make?(part, imports, "Sources/\(name)/\(part.name)")
            guard let more = part.tests else { return [target].compactMap(\.self) }
            let own = target == nil ? usual : [part.name] + imports
            let testName = target == nil ? part.name : part.name + "Tests"
            let test = Target.testTarget(
                name: testName,
                dependencies: Set(own + more + ["TestKit"]).sorted().map { .byName(name: $0) },
                path: "Tests/\(name)/\(testName)",
                resources: part.resources.map { .copy($0) },
                swiftSettings: strict
            )
            return [target, test].compactMap(\.self)
        }
    }
}

let values = ["Primitives"]
let network = ["EventIO", "HTTPCore", "StrictJSON", "Telemetry", "Primitives"]
let kernel = [
    "ServerCore", "Web", "Pages", "Operations", "Settings", "Postgres", "HTTPServer", "HTTPClient", "Cryptography",
]

let floors = [
    Floor(
        "Platform",
        [
            // Level 0: C.
            csources("CLinux"),
            csources("CBuild", settings: commit),
            clibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
            clibrary("CPostgres", pkgConfig: "libpq", apt: "libpq-dev"),
            clibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
            clibrary("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
            clibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),

            // Level 1: values.
            part("Primitives", tests: []),
            part("Telemetry", values, tests: []),

            // Level 2: the loop and JSON.
            part("EventIO", ["CLinux", "Telemetry"] + values, tests: []),
            part("StrictJSON", values, tests: []),
            part("CBOR", values, tests: []),

            // Level 3: protocols without I/O, cryptography.
            part("HTTPCore", values, tests: []),
            part("ZIP", ["CZlib"] + values, tests: []),
            part("TLS", ["COpenSSL"] + values, tests: []),
            part("HTTP1", ["HTTPCore"] + values, tests: []),
            part("HTTP2", ["CNGHTTP2", "HTTPCore"] + values, tests: []),
            part("Cryptography", ["COpenSSL"] + values, tests: ["EventIO"], resources: ["Vectors"]),
            part("JOSE", ["Cryptography", "StrictJSON"] + values, tests: [], resources: ["Vectors"]),

            // Level 4: servers and clients of the network.
            part("HTTPServer", ["EventIO", "TLS", "HTTP1", "HTTP2", "HTTPCore", "Telemetry"] + values, tests: []),
            part(
                "HTTPClient",
                ["EventIO", "CCurl", "TLS", "HTTP2", "HTTPCore", "Telemetry"] + values,
                tests: ["HTTPServer", "Cryptography"]
            ),
            part("Postgres", ["EventIO", "CPostgres", "Telemetry"] + values, tests: ["PostgresTestKit"]),
        ]
    ),
    Floor(
        "Kernel",
        usual: network,
        [
            // Level 5: mechanisms; no feature's noun in them.
            part("Settings", tests: []),
            part("Operations", ["Settings"], tests: []),
            part("Web", ["HTTPServer", "Cryptography"], tests: []),
            part("Pages", ["Web"], tests: ["Cryptography"]),
            part(
                "ServerCore",
                ["Pages", "Web", "Postgres", "Operations", "Settings", "Cryptography", "HTTPClient"],
                tests: ["HTTPServer"]
            ),
        ]
    ),
    Floor(
        "Services",
        usual: network + kernel,
        [
            // Level 6: features that know no system.
            part("ServiceAPI", tests: []),
            part("Accounts", ["ServiceAPI"], tests: ["FeatureTestKit", "PostgresTestKit"]),
            part("Webhooks", tests: []),
            part("Operators", tests: ["FeatureTestKit", "PostgresTestKit"]),
        ]
    ),
    Floor(
        "Domains",
        usual: ["HTTPCore", "StrictJSON", "Cryptography", "Telemetry", "Primitives"],
        [
            // Level 7, pure: values of trade.
            part("Commerce", tests: []),

            // Level 8, apart, pure: domains.
            part("SessionBroker", ["Commerce"], tests: []),
            part("MerchantOrders", ["Commerce"], tests: []),
            part("AppLinks", tests: []),
            part("Notifications", ["EventIO"], tests: [], resources: ["Vectors"]),
            part("WalletPass", ["ZIP"], tests: [], resources: ["Vectors"]),
            part("AppStoreTransactions", ["JOSE"], tests: [], resources: ["Vectors"]),
            part("DeviceAttestation", ["JOSE", "CBOR"], tests: ["AppleSimulator"], resources: ["Vectors"]),
            part("OpenID", ["JOSE"], tests: [], resources: ["Vectors"]),
            part("AmazonPay", ["Commerce"], tests: ["EventIO"], resources: ["Vectors"]),

            // Level 9, pure: what explains a domain.
            part("SignatureTool", ["AmazonPay"], tests: ["EventIO"]),
        ]
    ),
    Floor(
        "Features",
        usual: network + kernel + ["ServiceAPI", "Accounts", "Webhooks", "Operators"],
        [
            // Level 10: their values.
            part("CheckoutCodes"),
            part("MerchantAPI", ["CheckoutCodes", "SessionBroker", "MerchantOrders", "Commerce"], tests: []),

            // Level 11: systems, each with its routes, settings, jobs and commands.
            part("SecurityText", tests: ["FeatureTestKit"]),
            part(
                "Wallet",
                ["WalletPass", "JOSE", "TLS", "HTTP2"],
                tests: ["FeatureTestKit", "PostgresTestKit"],
                resources: ["Vectors"]
            ),
            part(
                "AppStore",
                ["AppStoreTransactions", "JOSE"],
                tests: ["FeatureTestKit", "PostgresTestKit", "AppleSimulator", "SimulatorCore"],
                resources: ["Vectors"]
            ),
            part(
                "DeviceCheck",
                ["DeviceAttestation"],
                tests: ["FeatureTestKit", "PostgresTestKit", "AppleSimulator", "SimulatorCore", "JOSE"]
            ),
            part(
                "Checkout",
                [
                    "CheckoutCodes", "MerchantAPI", "MerchantOrders", "SessionBroker", "AppLinks", "AmazonPay",
                    "SignatureTool", "Notifications", "Commerce",
                ],
                tests: ["FeatureTestKit", "PostgresTestKit"],
                resources: ["Pages/Golden"]
            ),
            part(
                "Merchant",
                [
                    "Checkout", "MerchantAPI", "MerchantOrders", "CheckoutCodes", "SessionBroker", "AmazonPay",
                    "Commerce",
                ],
                tests: ["FeatureTestKit", "PostgresTestKit"]
            ),
        ]
    ),
    Floor(
        "Simulators",
        usual: network + ["HTTPServer", "TLS", "Cryptography", "Operations", "Settings"],
        [
            // Level 12: systems of vendors that cannot be reached.
            part("SimulatorCore", tests: []),
            part("AmazonPaySimulator", ["SimulatorCore", "AmazonPay", "HTTPClient"], tests: ["Commerce"]),
            part(
                "PushSimulator",
                ["SimulatorCore", "WalletPass", "JOSE", "HTTPClient", "CNGHTTP2", "Pages"],
                tests: [],
                resources: ["Vectors"]
            ),
            part("LoginSimulator", ["SimulatorCore", "OpenID", "JOSE"], tests: ["HTTPClient"]),
            part("AppleSimulator", ["SimulatorCore", "JOSE", "CBOR", "HTTPClient"], tests: [], resources: ["Vectors"]),
        ]
    ),
    Floor(
        "Program",
        usual: network + kernel + ["ServiceAPI", "Accounts", "Webhooks", "Operators", "TLS"],
        [
            // Level 13: the program.
            part(
                "Program",
                [
                    "Checkout", "Merchant", "SecurityText", "Wallet", "AppStore", "DeviceCheck", "SimulatorCore",
                    "AmazonPaySimulator", "PushSimulator", "AppleSimulator", "CBuild",
                ],
                tests: [
                    "MerchantAPI", "MerchantOrders", "SessionBroker", "AmazonPay", "Commerce", "PostgresTestKit",
                    "FeatureTestKit",
                ]
            ),
            program("sallyport", ["Program"]),
            tests(
                "StoreTests",
                [
                    "Program", "Checkout", "Merchant", "SessionBroker", "MerchantOrders", "Commerce", "MerchantAPI",
                    "PostgresTestKit",
                ]
            ),
            tests(
                "IntegrationTests",
                [
                    "IntegrationKit", "sallyport", "Program", "PushSimulator", "SimulatorCore", "PostgresTestKit",
                    "SallyportClient",
                ],
                resources: ["Golden"]
            ),
        ]
    ),
    Floor(
        "Clients",
        [
            // Beside the levels: what apps link. It needs nothing of the server, and only tests link it here.
            Part(
                name: "SallyportClient",
                tests: [
                    "IntegrationKit", "sallyport", "Program", "AppleSimulator", "SimulatorCore", "HTTPServer",
                    "HTTPClient", "HTTPCore", "JOSE", "StrictJSON", "Telemetry", "Cryptography", "EventIO",
                    "Primitives",
                ]
            ) { part, _, path in
                .target(name: part.name, path: path, swiftSettings: portable)
            }
        ]
    ),
    Floor(
        "Testing",
        usual: network,
        [
            // Level 14: what tests stand on.
            part("TestKit", ["CNGHTTP2", "TLS"]),
            part("PostgresTestKit", ["CPostgres", "Postgres", "TestKit"]),

            // Level 15: features in the process of their tests, and what drives the program from outside.
            part("FeatureTestKit", kernel + ["PostgresTestKit", "Commerce", "TestKit"]),
            part(
                "IntegrationKit",
                kernel + ["Program", "AmazonPaySimulator", "Webhooks", "PostgresTestKit", "TLS", "TestKit"]
            ),
            program(
                "sallyport-vectors",
                [
                    "IntegrationKit", "PostgresTestKit", "TestKit", "Postgres", "Cryptography", "JOSE", "Wallet",
                    "WalletPass", "AppStoreTransactions", "DeviceAttestation", "OpenID",
                ]
            ),
            program(
                "sallyport-bench",
                [
                    "IntegrationKit", "Checkout", "SessionBroker", "Commerce", "Postgres", "AppleSimulator",
                    "Cryptography", "DeviceAttestation",
                ]
            ),
        ]
    ),
]

let package = Package(
    name: "sallyport",
    // For SallyportClient alone: the server is built on Linux.
    platforms: [.iOS(.v15)],
    products: [
        .executable(name: "sallyport", targets: ["sallyport"]),
        .executable(name: "sallyport-bench", targets: ["sallyport-bench"]),
        .library(name: "SallyportClient", targets: ["SallyportClient"]),
    ],
    targets: floors.flatMap(\.targets)
)

/// The readers of hostile bytes and what they need, without the features, the program and the tests.
func fuzzing(_ all: [Target]) -> [Target] {
    let readers = [
        "AmazonPay", "AppLinks", "AppStoreTransactions", "CBOR", "Checkout", "Commerce", "Cryptography",
        "DeviceAttestation", "EventIO", "HTTP1", "HTTP2", "HTTPClient", "HTTPCore", "HTTPServer", "JOSE",
        "MerchantAPI", "MerchantOrders", "Notifications", "OpenID",
        "Primitives", "SallyportClient", "ServiceAPI", "SessionBroker", "StrictJSON", "Wallet", "WalletPass", "Web",
        "Webhooks", "ZIP",
    ]
    let checkout = Target.target(
        name: "Checkout",
        dependencies: ["SessionBroker", "HTTPCore", "Primitives"],
        path: "Sources/Features/Checkout",
        // Two readers; the other sources need everything below the features.
        sources: ["PlaintextTokens.swift", "Handlers/PolicyReport.swift"],
        swiftSettings: strict
    )
    let wallet = Target.target(
        name: "Wallet",
        dependencies: ["HTTPCore", "Primitives", "StrictJSON", "Web"],
        path: "Sources/Features/Wallet",
        // What phones and the push service send.
        sources: [
            "Phones/DeviceLogLine.swift", "Phones/PhoneRequest.swift", "Push/PushAnswer.swift", "WalletFailures.swift",
        ],
        swiftSettings: strict
    )
    return all.filter { $0.name != "Checkout" && $0.name != "Wallet" } + [
        checkout, wallet,
        .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "Fuzzer",
            dependencies: ["CFuzzer"] + readers.map { .byName(name: $0) },
            path: "Tests/Fuzz/Fuzzer",
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]
        ),
    ]
}

if isFuzzing { package.targets = fuzzing(package.targets) }

if let root = isFuzzing ? "Fuzzer" : onlyTests {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var open = [root]
    while let name = open.popLast() {
        guard let target = targets[name], needed.insert(name).inserted else { continue }
        open += target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
}
