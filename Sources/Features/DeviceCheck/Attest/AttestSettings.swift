import Cryptography
import DeviceAttestation
import EventIO
import Primitives
import Settings

/// What the settings say of the keys with which apps prove themselves.
struct AttestSettings: Sendable {
    /// Whose keys are taken; none switches it off.
    let apps: [AttestedApp]
    /// Keys of the other one are refused.
    let environment: AttestEnvironment
    /// The file of the authorities that attest; empty for Apple's.
    let trustPath: String
    let challengeLife: Duration
    let keepKeys: Duration
    /// Routes that want an assertion, by name.
    let required: [String]

    /// Whether keys are taken.
    var isOn: Bool { !apps.isEmpty }

    private static let bundles = "app_attest.bundle_ids"
    static let list = "app_attest.required"

    init(_ read: inout SettingReader, teamID: String) {
        let ids = read.list(
            AttestSettings.bundles,
            "",
            "bundle ids of the apps of device_check.team_id whose keys are taken, such as com.example.shop; empty: none are"
        )
        let apps = ids.map { AttestedApp(teamID: teamID, bundleID: $0) }
        self.apps = apps.compactMap(\.self)
        environment = read.choice(
            "app_attest.environment",
            AttestEnvironment.allCases,
            .production,
            "whose keys are taken: production for apps of the App Store and TestFlight; development for apps signed for it"
        )
        trustPath = read.file(
            "app_attest.trust",
            "PEM file: the only authorities that attest keys, for a simulator; empty for Apple's, which is built in"
        )
        challengeLife = read.duration(
            "app_attest.challenge_life",
            30...3_600,
            .seconds(300),
            "how long an app may take to use a challenge"
        )
        keepKeys = read.duration(
            "app_attest.keep_keys",
            86_400...315_360_000,
            .seconds(400 * 86_400),
            "how long a key is kept that no app uses; reinstalled apps make others"
        )
        required = read.list(
            AttestSettings.list,
            "",
            "names of routes for apps that want an assertion, such as submitPurchase, as the description of the interface has them"
        )
        if teamID.isEmpty {
            if !ids.isEmpty { read.complain(AttestSettings.bundles, "set, and device_check.team_id is not") }
        } else if self.apps.count < ids.count {
            read.complain(AttestSettings.bundles, "has something that is no bundle id such as com.example.shop")
        }
        if ids.isEmpty, !required.isEmpty {
            read.complain(AttestSettings.list, "set, and \(AttestSettings.bundles) is not: no app could prove itself")
        }
    }

    /// What judges attestations; `nil` where no keys are taken.
    ///
    /// - Throws: What is wrong with the file of the authorities.
    func verifier() throws(ConfigurationError) -> AppAttestationVerifier? {
        guard isOn else { return nil }
        return AppAttestationVerifier(apps: apps, environment: environment, roots: try roots())
    }

    /// Those that are believed.
    func roots() throws(ConfigurationError) -> [X509Certificate] {
        let content = trustPath.isEmpty ? nil : try content()
        do throws(CryptographyError) {
            guard let content else { return [try AppleAttestRoot.certificate()] }
            return try X509Certificate.list(content)
        } catch {
            throw ConfigurationError(problems: ["app_attest.trust: \(trustPath): \(error.detail)"])
        }
    }

    private func content() throws(ConfigurationError) -> [UInt8] {
        do throws(IOError) {
            return try Files.read(trustPath, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: ["app_attest.trust: \(trustPath) cannot be read: \(error.sentence)"])
        }
    }
}
