import AppStoreTransactions
import Cryptography
import EventIO
import HTTPClient
import JOSE
import Primitives
import Settings

/// How Apple's server is asked.
struct ServerAPISettings: Sendable {
    let issuerID: String
    let keyID: String
    let keyPath: String
    let trustPath: String
    /// Whether it is told to finish what is granted.
    let finishes: Bool
    private let productionURL: String
    private let sandboxURL: String

    init(_ read: inout SettingReader) {
        issuerID = read.text(
            "app_store.issuer_id",
            "",
            "issuer id of the keys for In-App Purchase, as App Store Connect shows it above them",
            takes: "UUID"
        )
        keyID = read.text(
            "app_store.key_id",
            "",
            "id of app_store.private_key; empty: as the name of its file says, SubscriptionKey_ID.p8 or AuthKey_ID.p8",
            takes: "key id"
        )
        keyPath = read.secretFile(
            "app_store.private_key",
            "key (.p8) for In-App Purchase; empty: Apple's server is not asked"
        )
        productionURL = read.serverAPI("app_store.production_url", "https://api.storekit.apple.com", "production")
        sandboxURL = read.serverAPI("app_store.sandbox_url", "https://api.storekit-sandbox.apple.com", "sandbox")
        trustPath = read.file(
            "app_store.api_trust",
            "PEM file: the only authorities of Apple's server; empty for the machine's"
        )
        finishes = read.flag(
            "app_store.finish",
            false,
            "finish granted purchases at Apple's server, too, so that StoreKit does not bring them to the app again"
        )
        guard isOn else {
            if finishes { read.complain("app_store.finish", "set, and app_store.private_key is not") }
            return
        }
        if issuerID.isEmpty {
            read.complain("app_store.issuer_id", "not set, and app_store.private_key is")
        } else if UUIDBytes(issuerID) == nil {
            read.complain("app_store.issuer_id", "not a UUID such as 57246542-96fe-1a63-e053-0824d011072a")
        }
        if currentKeyID == nil {
            read.complain(
                "app_store.key_id",
                "not set, and the file of app_store.private_key is not called SubscriptionKey_ID.p8 or AuthKey_ID.p8"
            )
        }
    }

    /// Whether Apple's server is asked.
    var isOn: Bool { !keyPath.isEmpty }

    /// Where an environment is asked; `nil` for those that have no server.
    func base(of environment: AppStoreEnvironment) -> String? {
        switch environment {
        case .production: productionURL
        case .sandbox: sandboxURL
        case .xcode, .localTesting: nil
        }
    }

    /// The id of the key: that of the settings, or the one in the name of the file that the path leads to now.
    private var currentKeyID: String? {
        keyID.isEmpty ? AppleKeyName.id(at: keyPath, as: [.subscription, .auth]) : keyID
    }

    /// The key of requests, as its file is now.
    ///
    /// - Throws: What is wrong with the key, without its content.
    func key(bundleID: String) throws(ConfigurationError) -> ServerAPIKeys.Key {
        let pem = Secret(try SecretFile.read(keyPath, "app_store.private_key"))
        guard let id = currentKeyID else {
            let sentence = "app_store.private_key: \(keyPath): not called SubscriptionKey_ID.p8 or AuthKey_ID.p8"
            throw ConfigurationError(problems: [sentence])
        }
        do throws(CryptographyError) {
            let key = try ES256PrivateKey(pem: pem)
            let signer = JWTSigner(key: key, keyID: id)
            let offers = OfferSigners(
                text: OfferTokenSigner(signer: signer, issuerID: issuerID, bundleID: bundleID),
                legacy: OfferSigner(key: key, keyID: id, bundleID: bundleID)
            )
            let tokens = ServerAPITokenMaker(signer: signer, issuerID: issuerID, bundleID: bundleID)
            return ServerAPIKeys.Key(id: id, tokens: tokens, offers: offers)
        } catch {
            throw ConfigurationError(problems: ["app_store.private_key: \(keyPath): \(error.detail)"])
        }
    }

    /// Reads the authorities of Apple's server, which the client opens with each connection.
    ///
    /// - Throws: What is wrong with the file.
    func checkTrust() throws(ConfigurationError) {
        if isOn, !trustPath.isEmpty { _ = try X509Certificate.list(at: trustPath, "app_store.api_trust") }
    }

    /// The client of Apple's server.
    var purpose: OutboundPurpose {
        var configuration = ClientConfiguration()
        if !trustPath.isEmpty { configuration.trust = .file(path: trustPath) }
        configuration.version = .http2
        return OutboundPurpose("app_store", configuration)
    }
}

extension SettingReader {
    fileprivate mutating func serverAPI(_ name: String, _ fallback: String, _ word: String) -> String {
        let text = text(
            name,
            fallback,
            "address of Apple's server for \(word), without a slash at its end",
            takes: "address"
        )
        let isGood = HTTPURL(text).map { $0.isSecure || $0.host.isLoopback } ?? false
        if !isGood || text.hasSuffix("/") { complain(name, "not an https address such as \(fallback)") }
        return text
    }
}
