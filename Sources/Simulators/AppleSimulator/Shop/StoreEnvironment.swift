/// A store of its own, with purchases that the others do not know.
package enum StoreEnvironment: String, Sendable, CaseIterable {
    /// Customers.
    case production = "Production"
    /// Testers.
    case sandbox = "Sandbox"
    /// StoreKit testing in Xcode: texts come from the device alone.
    case xcode = "Xcode"

    /// The first segment of its API's paths; `nil` where it has none.
    package var pathName: String? {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        case .xcode: nil
        }
    }
}
