import AppStoreTransactions
import Cryptography
import EventIO
import JOSE
import Primitives
import Settings
import StrictJSON

/// The verifiers of signed texts, one for each environment whose purchases are taken.
///
/// The environment that a text claims chooses its verifier, which then judges the claim, too.
struct AppStoreVerifiers: Sendable {
    /// In the order of the settings.
    let environments: [AppStoreEnvironment]
    private let verifiers: [AppStoreEnvironment: SignedTextVerifier]

    /// SHA-256 of Apple Root CA - G3.
    private static let appleRoot = "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"

    /// Reads the roots.
    ///
    /// - Throws: `ConfigurationError`: a file that is none, or a root that is not Apple's where there is Production.
    init(_ settings: AppStoreSettings) throws(ConfigurationError) {
        environments = settings.environments
        let paths = CertificatePathVerifier(
            roots: try AppStoreVerifiers.roots(settings),
            purpose: .appStore,
            clock: SystemClock()
        )
        var verifiers: [AppStoreEnvironment: SignedTextVerifier] = [:]
        for environment in settings.environments {
            do throws(SignedTextRefusal) {
                verifiers[environment] = try SignedTextVerifier(
                    environment: environment,
                    bundleID: settings.bundleID,
                    appAppleID: settings.appAppleID,
                    paths: paths
                )
            } catch {
                throw ConfigurationError(problems: ["app_store: \(environment.rawValue): \(error)"])
            }
        }
        self.verifiers = verifiers
    }

    /// The root certificates of the settings; none where they name no file.
    ///
    /// - Throws: `ConfigurationError`: a file that is none, or a root that is not Apple's where there is Production.
    static func roots(_ settings: AppStoreSettings) throws(ConfigurationError) -> [X509Certificate] {
        let (name, path) = ("app_store.root_certificates", settings.rootCertificates)
        guard !path.isEmpty else { return [] }
        let roots = try X509Certificate.list(at: path, name)
        let isApples = roots.allSatisfy { SHA256.digest(of: $0.der).hexadecimal.octets == appleRoot.octets }
        guard isApples || settings.allowsOtherRoot || !settings.environments.contains(.production) else {
            throw ConfigurationError(problems: [
                "\(name): \(path): not Apple Root CA - G3, whose SHA-256 is \(appleRoot); set app_store.allow_other_root with a simulated App Store"
            ])
        }
        return roots
    }

    /// The environment of a name; `nil` for one whose purchases are not taken.
    func environment(_ name: String) -> AppStoreEnvironment? {
        environments.first { $0.rawValue.octets == name.octets }
    }

    /// The verified purchase of a text.
    ///
    /// - Throws: Why it is refused.
    func transaction(_ text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> Transaction {
        try verifier(of: text).transaction(text, at: now)
    }

    /// The verified purchase of a text that belongs to one of an environment.
    ///
    /// - Throws: Why it is refused.
    func transaction(
        _ text: [UInt8],
        of environment: AppStoreEnvironment,
        at now: WallTime
    ) throws(SignedTextRefusal) -> Transaction {
        guard let verifier = verifiers[environment] else { throw .wrongEnvironment(.environment) }
        return try verifier.transaction(text, at: now)
    }

    /// The verified renewal information of a text, which counts beside its transaction alone.
    ///
    /// - Throws: Why it is refused.
    func renewal(
        _ text: [UInt8],
        of environment: AppStoreEnvironment,
        at now: WallTime
    ) throws(SignedTextRefusal) -> RenewalInformation {
        guard let verifier = verifiers[environment] else { throw .wrongEnvironment(.environment) }
        return try verifier.renewal(text, at: now)
    }

    /// The verified notification of a text; what is inside is not.
    ///
    /// - Throws: Why it is refused; what is refused for its app, environment or kind is signed by Apple.
    func notification(_ text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> ServerNotification {
        try verifier(of: text).notification(text, at: now)
    }

    /// The certificates of a verified text of an environment.
    ///
    /// - Throws: Why they are not good at the present.
    func certificates(
        ofVerified text: [UInt8],
        of environment: AppStoreEnvironment,
        at now: WallTime
    ) throws(SignedTextRefusal) -> VerifiedPath {
        guard let verifier = verifiers[environment] else { throw .wrongEnvironment(.environment) }
        return try verifier.certificates(ofVerified: text, at: now)
    }

    /// What Apple has signed in a text of any kind.
    ///
    /// - Throws: Why it is refused.
    func payload(_ text: [UInt8], at now: WallTime) throws(SignedTextRefusal) -> JSONValue {
        let verifier = try verifier(of: text)
        do throws(SignedTextRefusal) {
            return try verifier.transaction(text, at: now).payload
        } catch {
            guard case .wrongKind = error else { throw error }
        }
        if let notification = try? verifier.notification(text, at: now) { return notification.payload }
        if let renewal = try? verifier.renewal(text, at: now) { return renewal.payload }
        return try verifier.appTransaction(text, at: now).payload
    }

    /// The verifier of the environment that a text claims, or any: it refuses what it is not for.
    private func verifier(of text: [UInt8]) throws(SignedTextRefusal) -> SignedTextVerifier {
        let claimed = SignedTextVerifier.claimedEnvironment(text).flatMap { verifiers[$0] }
        guard let verifier = claimed ?? environments.first.flatMap({ verifiers[$0] }) else {
            throw .misconfigured(.environment)
        }
        return verifier
    }
}
