/// Where a purchase was made; each has its own ledger.
package enum AppStoreEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Customers.
    case production = "Production"
    /// Sandbox testers, TestFlight and the App Store's reviewers.
    case sandbox = "Sandbox"
    /// StoreKit's test in Xcode; signed by nobody.
    case xcode = "Xcode"
    /// StoreKit's test framework; signed by nobody.
    case localTesting = "LocalTesting"

    /// Whether Apple signs the texts of the environment.
    package var isSigned: Bool { self == .production || self == .sandbox }
}
