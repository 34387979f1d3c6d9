// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Targets, levels and arrows; docs/architecture.md says what each target owns. `make layers` compares this list with every import
// in the sources, and reads the levels here: a target stands on the level of the last heading above it. An arrow points down or
// sideways; in a group that is headed "apart" never sideways.

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

func library(_ name: String, _ imports: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: strict)
}

func program(_ name: String, _ imports: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: imports, swiftSettings: strict)
}

func tests(_ name: String, _ imports: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: imports, resources: resources, swiftSettings: strict)
}

func clibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "sallyport",
    // For SallyportClient alone: the server is built on Linux.
    platforms: [.iOS(.v15)],
    products: [
        .executable(name: "sallyport", targets: ["sallyport"]),
        .executable(name: "sallyport-bench", targets: ["sallyport-bench"]),
        .library(name: "SallyportClient", targets: ["SallyportClient"]),
    ],
    targets: [
        // Level 0: C.
        .target(name: "CLinux"),
        .target(name: "CBuild", cSettings: commit),
        clibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        clibrary("CPostgres", pkgConfig: "libpq", apt: "libpq-dev"),
        clibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        clibrary("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),

        // Level 1: values.
        library("Primitives"),
        library("Telemetry", ["Primitives"]),

        // Level 2: the kernel and JSON.
        library("EventIO", ["CLinux", "Primitives", "Telemetry"]),
        library("StrictJSON", ["Primitives"]),

        // Level 3: protocols without I/O, settings.
        library("Settings", ["EventIO", "StrictJSON", "Primitives"]),
        library("Operations", ["Settings", "EventIO", "StrictJSON", "Telemetry", "Primitives"]),
        library("HTTPCore", ["Primitives"]),
        library("TLS", ["COpenSSL", "Primitives"]),
        library("HTTP1", ["HTTPCore", "Primitives"]),
        library("HTTP2", ["CNGHTTP2", "HTTPCore", "Primitives"]),
        library("TestKit", ["CNGHTTP2", "EventIO", "Primitives", "Telemetry"]),

        // Level 4: servers and clients of the network.
        library("HTTPServer", ["EventIO", "TLS", "HTTP1", "HTTP2", "HTTPCore", "Telemetry", "Primitives"]),
        library("HTTPClient", ["EventIO", "CCurl", "HTTPCore", "Telemetry", "Primitives"]),
        library("Postgres", ["EventIO", "CPostgres", "Telemetry", "Primitives"]),

        // Level 5: what several domains need.
        library("Web", ["HTTPServer", "HTTPCore", "Cryptography", "Primitives"]),
        library("Pages", ["Web", "HTTPCore", "Primitives"]),
        library(
            "ServerCore",
            [
                "Web", "Postgres", "HTTPCore", "Operations", "Settings", "EventIO", "StrictJSON", "Telemetry",
                "Primitives",
            ]
        ),
        library("ServiceAPI", ["ServerCore", "Web", "Postgres", "HTTPCore", "Cryptography", "Primitives"]),
        library("PostgresTestKit", ["CPostgres", "Postgres", "EventIO", "Telemetry", "TestKit", "Primitives"]),
        library("Cryptography", ["COpenSSL", "Primitives"]),
        library("Commerce", ["Primitives"]),

        // Level 6, apart: domains.
        library("SessionBroker", ["Commerce", "Cryptography", "Primitives"]),
        library("MerchantOrders", ["ServiceAPI", "Commerce", "Cryptography", "Primitives"]),
        library("AppLinks", ["StrictJSON", "Primitives"]),
        library("Notifications", ["EventIO", "StrictJSON", "HTTPCore", "Cryptography", "Telemetry", "Primitives"]),
        library("AmazonPay", ["Commerce", "HTTPCore", "Cryptography", "Telemetry", "Primitives"]),
        library("CheckoutCodes", ["Web", "HTTPCore"]),

        // Level 7: domains with JSON; webhooks, a feature that the values of `/v1` name.
        library(
            "Webhooks",
            [
                "ServerCore", "Web", "Postgres", "HTTPClient", "Settings", "Operations", "EventIO", "StrictJSON",
                "HTTPCore", "Cryptography", "Telemetry", "Primitives",
            ]
        ),
        library(
            "MerchantAPI",
            [
                "CheckoutCodes", "ServiceAPI", "SessionBroker", "MerchantOrders", "Webhooks", "Commerce", "Web",
                "StrictJSON", "HTTPCore", "Primitives",
            ]
        ),
        library("SignatureTool", ["AmazonPay", "Cryptography", "StrictJSON", "Primitives"]),
        library(
            "SimulatorCore",
            [
                "HTTPServer", "HTTPCore", "TLS", "EventIO", "Cryptography", "Settings", "StrictJSON", "Telemetry",
                "Primitives",
            ]
        ),
        library(
            "Simulators",
            [
                "SimulatorCore", "HTTPServer", "HTTPCore", "TLS", "EventIO", "AmazonPay", "Cryptography", "StrictJSON",
                "Telemetry", "Primitives",
            ]
        ),

        // Level 8: features, each with its routes, settings, jobs and commands.
        library("SecurityText", ["ServerCore", "Web", "HTTPCore", "Settings", "EventIO", "Primitives"]),
        library(
            "Checkout",
            [
                "ServerCore", "Pages", "CheckoutCodes", "MerchantAPI", "MerchantOrders",
                "SessionBroker", "AppLinks", "AmazonPay", "Notifications", "Commerce", "Cryptography", "HTTPClient",
                "HTTPServer", "Web", "Postgres", "HTTPCore", "Settings", "StrictJSON", "Operations", "EventIO",
                "Telemetry", "Primitives",
            ]
        ),
        library(
            "Merchant",
            [
                "Checkout", "Webhooks", "MerchantAPI", "MerchantOrders", "ServiceAPI", "ServerCore",
                "CheckoutCodes", "SessionBroker", "AmazonPay", "Commerce", "Cryptography", "HTTPClient",
                "HTTPServer", "Web", "Postgres", "HTTPCore", "Settings", "StrictJSON", "Operations", "EventIO",
                "Telemetry", "Primitives",
            ]
        ),

        // Level 9: the program.
        library(
            "Program",
            [
                "Checkout", "Merchant", "SecurityText", "Webhooks", "ServerCore", "ServiceAPI",
                "SimulatorCore", "Simulators", "SignatureTool", "MerchantOrders",
                "SessionBroker", "AmazonPay", "Cryptography", "HTTPServer", "HTTPClient",
                "Web", "Postgres", "TLS", "HTTPCore", "Settings", "StrictJSON", "Operations", "EventIO", "Telemetry",
                "Primitives", "CBuild",
            ]
        ),
        program("sallyport", ["Program"]),

        // Level 10: what drives the program from outside, and features in the process of their tests.
        library(
            "FeatureTestKit",
            [
                "ServerCore", "PostgresTestKit", "Postgres", "Commerce", "Cryptography", "Web", "HTTPServer",
                "HTTPCore",
                "Operations", "Settings", "EventIO", "Telemetry", "TestKit", "Primitives",
            ]
        ),
        library(
            "IntegrationKit",
            [
                "Program", "ServerCore", "Simulators", "Webhooks", "PostgresTestKit",
                "Postgres", "Cryptography",
                "HTTPServer",
                "HTTPClient", "TLS", "HTTPCore", "EventIO", "Settings", "StrictJSON", "Telemetry", "TestKit",
                "Primitives",
            ]
        ),
        program(
            "sallyport-bench",
            [
                "IntegrationKit", "Checkout", "SessionBroker", "Commerce", "Postgres", "HTTPCore",
                "EventIO", "Telemetry", "Primitives",
            ]
        ),

        // Beside the levels: what apps link. It needs nothing of the server, and only tests link it here.
        .target(name: "SallyportClient", swiftSettings: portable),

        // Tests mirror the sources.
        tests("PrimitivesTests", ["Primitives", "TestKit"]),
        tests("TelemetryTests", ["Telemetry", "Primitives", "TestKit"]),
        tests("EventIOTests", ["EventIO", "Telemetry", "Primitives", "TestKit"]),
        tests("StrictJSONTests", ["StrictJSON", "Primitives", "TestKit"]),
        tests("SettingsTests", ["Settings", "EventIO", "StrictJSON", "Primitives"]),
        tests("OperationsTests", ["Operations", "EventIO", "Primitives", "Telemetry", "TestKit"]),
        tests("HTTPCoreTests", ["HTTPCore", "Primitives"]),
        tests("TLSTests", ["TLS", "Primitives", "TestKit"]),
        tests("HTTP1Tests", ["HTTP1", "HTTPCore", "Primitives"]),
        tests("HTTP2Tests", ["HTTP2", "HTTPCore", "TestKit"]),
        tests(
            "HTTPServerTests",
            ["HTTPServer", "EventIO", "TLS", "HTTP1", "HTTPCore", "Telemetry", "Primitives", "TestKit"]
        ),
        tests(
            "HTTPClientTests",
            [
                "HTTPClient", "HTTPServer", "TLS", "EventIO", "HTTPCore", "Cryptography", "Telemetry", "Primitives",
                "TestKit",
            ]
        ),
        tests("PostgresTests", ["Postgres", "PostgresTestKit", "EventIO", "Telemetry", "Primitives", "TestKit"]),
        tests(
            "CryptographyTests",
            ["Cryptography", "EventIO", "Primitives", "TestKit"],
            resources: [.copy("Vectors")]
        ),
        tests("CommerceTests", ["Commerce", "Primitives"]),
        tests("SessionBrokerTests", ["SessionBroker", "Cryptography", "Primitives", "TestKit"]),
        tests("MerchantOrdersTests", ["MerchantOrders", "Commerce", "Primitives"]),
        tests(
            "MerchantAPITests",
            [
                "MerchantAPI", "CheckoutCodes", "MerchantOrders", "ServiceAPI", "SessionBroker", "Webhooks", "Commerce",
                "Web",
                "StrictJSON", "HTTPCore", "Primitives",
            ]
        ),
        tests("WebTests", ["Web", "HTTPServer", "HTTPCore", "Primitives"]),
        tests(
            "SecurityTextTests",
            ["SecurityText", "FeatureTestKit", "ServerCore", "Web", "HTTPCore", "Settings", "Primitives"]
        ),
        tests(
            "ServerCoreTests",
            [
                "ServerCore", "Web", "HTTPServer", "Postgres", "Operations", "Settings", "HTTPCore", "EventIO",
                "Telemetry", "Primitives",
            ]
        ),
        tests(
            "CheckoutTests",
            [
                "Checkout", "CheckoutCodes", "MerchantAPI", "MerchantOrders", "Pages", "FeatureTestKit",
                "PostgresTestKit",
                "ServerCore", "SessionBroker", "Notifications", "Commerce", "Cryptography", "Postgres", "Web",
                "HTTPCore",
                "StrictJSON", "Operations", "EventIO", "Primitives", "TestKit",
            ],
            resources: [.copy("Pages/Golden")]
        ),
        tests(
            "MerchantTests",
            [
                "Merchant", "Checkout", "SessionBroker", "Webhooks", "FeatureTestKit", "PostgresTestKit", "ServerCore",
                "Web",
                "Commerce", "Cryptography", "Postgres", "HTTPCore", "StrictJSON", "Primitives", "TestKit",
            ]
        ),
        tests("ServiceAPITests", ["ServiceAPI", "Cryptography", "Primitives", "TestKit"]),
        tests("AppLinksTests", ["AppLinks"]),
        tests(
            "NotificationsTests",
            ["Notifications", "StrictJSON", "HTTPCore", "Cryptography", "EventIO", "Primitives", "TestKit"],
            resources: [.copy("Vectors")]
        ),
        tests(
            "WebhooksTests",
            ["Webhooks", "StrictJSON", "HTTPCore", "Cryptography", "EventIO", "Telemetry", "Primitives", "TestKit"]
        ),
        tests(
            "AmazonPayTests",
            ["AmazonPay", "Commerce", "HTTPCore", "Cryptography", "EventIO", "Primitives", "TestKit"],
            resources: [.copy("Vectors")]
        ),
        tests(
            "SignatureToolTests",
            ["SignatureTool", "AmazonPay", "Cryptography", "EventIO", "StrictJSON", "Primitives"]
        ),
        tests(
            "StoreTests",
            [
                "Program", "Checkout", "Merchant", "Postgres", "PostgresTestKit", "ServerCore", "ServiceAPI",
                "SessionBroker",
                "MerchantOrders", "Webhooks", "Commerce", "MerchantAPI", "Cryptography", "StrictJSON", "EventIO",
                "Telemetry", "Primitives", "Operations",
                "TestKit",
            ],
            resources: [.copy("Aged/Early")]
        ),
        tests(
            "PagesTests",
            ["Pages", "Web", "HTTPCore", "Primitives"]
        ),
        tests(
            "SimulatorCoreTests",
            ["SimulatorCore", "HTTPServer", "EventIO", "StrictJSON", "Primitives", "TestKit"]
        ),
        tests(
            "SimulatorsTests",
            [
                "Simulators", "SimulatorCore", "AmazonPay", "Commerce", "HTTPClient", "HTTPServer", "TLS", "HTTPCore",
                "EventIO", "Cryptography", "StrictJSON", "Telemetry", "Primitives", "TestKit",
            ]
        ),
        tests(
            "ProgramTests",
            [
                "Program", "Checkout", "Merchant", "ServerCore", "ServiceAPI", "Webhooks", "MerchantAPI",
                "MerchantOrders", "SessionBroker", "AmazonPay",
                "Commerce", "Cryptography", "HTTPClient", "Web", "HTTPCore", "TLS", "Settings", "Operations", "EventIO",
                "Telemetry", "Primitives", "Postgres", "PostgresTestKit", "HTTPServer", "FeatureTestKit", "TestKit",
                "StrictJSON",
            ]
        ),
        tests("SallyportClientTests", ["SallyportClient", "IntegrationKit", "Cryptography", "EventIO", "Primitives"]),
        tests(
            "IntegrationTests",
            [
                "IntegrationKit", "sallyport", "Program", "PostgresTestKit", "Postgres",
                "HTTPClient", "Web",
                "HTTPCore", "Cryptography", "EventIO", "StrictJSON", "Telemetry", "Primitives", "TestKit",
                "SallyportClient",
            ],
            resources: [.copy("Golden")]
        ),
    ]
)

/// The readers of hostile bytes and what they need, without the features, the program and the tests.
func fuzzing(_ all: [Target]) -> [Target] {
    let readers = [
        "AmazonPay", "AppLinks", "Checkout", "Commerce", "Cryptography", "EventIO", "HTTP1", "HTTP2", "HTTPClient",
        "HTTPCore", "HTTPServer", "MerchantAPI", "MerchantOrders", "Notifications", "Primitives", "SallyportClient",
        "ServiceAPI", "SessionBroker", "StrictJSON", "Web", "Webhooks",
    ]
    let checkout = Target.target(
        name: "Checkout",
        dependencies: ["SessionBroker", "HTTPCore", "Primitives"],
        path: "Sources/Checkout",
        // Two readers; the other sources need everything below the features.
        sources: ["PlaintextTokens.swift", "Handlers/PolicyReport.swift"],
        swiftSettings: strict
    )
    return all.filter { $0.name != "Checkout" } + [
        checkout,
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
