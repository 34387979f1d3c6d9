import AppStoreTransactions
import Primitives
import Settings

/// What the settings say of purchases in the App Store.
struct AppStoreSettings: Sendable {
    /// Of the app; empty switches purchases off.
    let bundleID: String
    /// The number of the app, which texts of production name.
    let appAppleID: Int64?
    let rootCertificates: String
    /// Whether production takes another root than Apple's.
    let allowsOtherRoot: Bool
    /// Those whose purchases are taken; the first is meant where a request names none.
    let environments: [AppStoreEnvironment]
    let products: String
    /// Notifications that Apple has not signed, of an address.
    let forgeriesPerMinute: Int
    let keepNotifications: Duration
    /// How old a signed text from an app may be before Apple's server is asked for a new one.
    let submissionAge: Duration
    /// Questions to Apple's server that the apps of an account may cause.
    let lookupsPerMinute: Int
    /// What Apple is told that the merchant would like of a refund; `nil` for nothing.
    let refundPreference: ConsumptionInformation.Preference?
    /// The least time between two questions for notifications that were missed.
    let historyPause: Duration
    let revocation: RevocationPolicy
    /// The least time between two readings of what Apple has of a customer.
    let reconciliationPause: Duration
    let forwards: ForwardSettings
    let gifts: GiftSettings
    let server: ServerAPISettings

    /// The settings that switch purchases on.
    static let switches = ["app_store.bundle_id"]

    init(_ read: inout SettingReader) {
        bundleID = read.text(
            "app_store.bundle_id",
            "",
            "bundle id of the app whose purchases are taken, such as com.example.shop; empty: none are"
        )
        let number = read.number(
            "app_store.app_apple_id",
            0...999_999_999_999,
            0,
            "number of the app in the App Store, as its address there has it; needed for Production"
        )
        appAppleID = number == 0 ? nil : Int64(number)
        rootCertificates = read.file(
            "app_store.root_certificates",
            "root certificates that signed texts have to lead to, PEM or DER: Apple Root CA - G3"
        )
        allowsOtherRoot = read.flag(
            "app_store.allow_other_root",
            false,
            "take a root certificate that is not Apple's for Production: only with a simulated App Store"
        )
        environments = read.environments()
        products = read.file(
            "app_store.products",
            "JSON file of the products: {\"consumable.ticket.10\":{\"units\":10},\"premium\":{}}"
        )
        forgeriesPerMinute = read.number(
            "app_store.forgery_rate",
            1...6_000,
            60,
            "notifications a minute from an address that Apple has not signed"
        )
        keepNotifications = read.duration(
            "app_store.keep_notifications",
            86_400...315_360_000,
            .seconds(400 * 86_400),
            "how long notifications are kept with their signed texts"
        )
        submissionAge = read.duration(
            "app_store.submission_age",
            60...315_360_000,
            .seconds(24 * 3_600),
            "how old a text from an app may be before Apple's server is asked for a new one"
        )
        lookupsPerMinute = read.number(
            "app_store.lookup_rate",
            1...6_000,
            20,
            "questions to Apple's server a minute that the apps of an account may cause"
        )
        historyPause = read.duration(
            "app_store.history_pause",
            60...2_592_000,
            .seconds(6 * 3_600),
            "least time between two questions for notifications that have not reached the server"
        )
        reconciliationPause = read.reconciliationPause()
        let preference = read.choice(
            "app_store.refund_preference",
            ["none", "decline", "grant", "prorate"],
            "none",
            "what Apple is told of refunds that customers ask for, where they agree: prorate gives back what was not used"
        )
        refundPreference = ["decline": .decline, "grant": .grantFull, "prorate": .grantProrated][preference.octets]
        revocation = RevocationPolicy(&read)
        forwards = ForwardSettings(&read)
        gifts = GiftSettings(&read)
        server = ServerAPISettings(&read)
        complain(&read)
    }

    /// Says what does not go together with purchases that are on.
    private func complain(_ read: inout SettingReader) {
        guard !bundleID.isEmpty else { return }
        if !AppStoreSettings.isBundleID(bundleID) {
            read.complain(
                "app_store.bundle_id",
                "not the id of one app such as com.example.shop"
            )
        }
        if products.isEmpty { read.complain("app_store.products", "not set, and app_store.bundle_id is") }
        if rootCertificates.isEmpty, environments.contains(where: \.isSigned) {
            read.complain("app_store.root_certificates", "not set, and app_store.bundle_id is")
        }
        if environments.contains(.production), appAppleID == nil {
            read.complain("app_store.app_apple_id", "not set, and app_store.environments has Production")
        }
    }

    /// Whether a text can be a bundle id: letters, digits and hyphens between dots.
    static func isBundleID(_ text: String) -> Bool {
        text.utf8.count <= 155
            && text.octets.parts(between: UInt8(ascii: ".")).allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { Base64URL.contains($0) && $0 != UInt8(ascii: "_") }
            }
    }

    /// Whether purchases are switched on.
    var isOn: Bool { !bundleID.isEmpty }
}

extension SettingReader {
    fileprivate mutating func reconciliationPause() -> Duration {
        duration(
            "app_store.reconciliation_pause",
            3_600...2_592_000,
            .seconds(24 * 3_600),
            "least time between two questions about the refunds and purchases of a customer"
        )
    }

    fileprivate mutating func environments() -> [AppStoreEnvironment] {
        let name = "app_store.environments"
        let words = list(
            name,
            "Production,Sandbox",
            "environments whose purchases are taken, each with ledgers of its own: Production, Sandbox, or Xcode alone"
        )
        var found: [AppStoreEnvironment] = []
        for word in words {
            guard let environment = AppStoreEnvironment.allCases.first(where: { $0.rawValue.octets == word.octets }),
                !found.contains(environment)
            else {
                complain(name, "not Production, Sandbox, Xcode or LocalTesting, each once")
                return [.sandbox]
            }
            found.append(environment)
        }
        if found.isEmpty { complain(name, "empty") }
        // Texts of test tools are signed by nobody.
        if found.count > 1, found.contains(where: { !$0.isSigned }) {
            complain(name, "Xcode and LocalTesting stand alone: anybody can make their texts")
            return [.sandbox]
        }
        return found.isEmpty ? [.sandbox] : found
    }
}
