import AppStoreTransactions
import Cryptography
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
    private let productionURL: String
    private let sandboxURL: String

    init(_ read: inout SettingReader) {
        issuerID = read.text(
            "app_store.issuer_id",
            "",
            "issuer id of the keys for In-App Purchase, as App Store Connect shows it above them",
            takes: "UUID"
        )
        keyID = read.text("app_store.key_id", "", "id of app_store.private_key", takes: "key id")
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
        guard isOn else { return }
        for (name, text) in [("issuer_id", issuerID), ("key_id", keyID)] where text.isEmpty {
            read.complain("app_store.\(name)", "not set, and app_store.private_key is")
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

    /// What makes the tokens of requests.
    ///
    /// - Throws: What is wrong with the key, without its content.
    func tokens(bundleID: String) throws(ConfigurationError) -> ServerAPITokenMaker {
        let pem = Secret(try SecretFile.read(keyPath, "app_store.private_key"))
        do throws(CryptographyError) {
            let signer = JWTSigner(key: try ES256PrivateKey(pem: pem), keyID: keyID)
            return ServerAPITokenMaker(signer: signer, issuerID: issuerID, bundleID: bundleID)
        } catch {
            throw ConfigurationError(problems: ["app_store.private_key: \(keyPath): \(error.detail)"])
        }
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
