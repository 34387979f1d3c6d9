import SessionBroker

/// The names of the four cookies of docs/contract.md.
struct CookieTable: Sendable {
    /// B, in the tab's jar.
    let tab: String
    /// A, in the tab's jar: what the return link repeats as the old id.
    let launch: String
    /// P, in the app's jar.
    let app: String
    /// C, in the jar that completed the purchase.
    let receipt: String

    var all: [String] { [tab, launch, app, receipt] }

    /// The names of a profile.
    ///
    /// - Parameter names: `host` for `__Host-` names, which a sibling domain cannot plant.
    init(_ names: CookieNames) {
        let prefix = names == .host ? "__Host-" : ""
        tab = prefix + "secureWebviewSessionId"
        launch = prefix + "old_secureWebviewSessionId"
        app = prefix + "swv-app"
        receipt = prefix + "swv-receipt"
    }
}
