package import Cryptography
package import Operations
package import Primitives
package import ServerCore
import Settings
import TestKit

/// The settings of a deployment with nothing wrong, for tests of checks.
package struct SoundSettings: Sendable {
    /// When they are examined: 2026-03-14T01:59:26Z.
    package static let present = WallTime(seconds: 1_773_453_566)
    /// The names of both hosts.
    package static let hosts: [CertificateName] = [.host("pay.example.com"), .host("pay-links.example.com")]
    /// The provider's key, made once.
    package static let merchantKey = (try? RSAPrivateKey.generatePEM().privateKey) ?? Secret([])
    /// A fingerprint of 32 different bytes.
    package static let fingerprint = (0..<32).map { "\($0 / 10)\($0 % 10)" }.joined(separator: ":")

    /// By name.
    package var texts = [
        "listen": "0.0.0.0:443", "web.base_url": "https://pay.example.com",
        "link.base_url": "https://pay-links.example.com", "tls.certificate": "cert.pem", "tls.key": "key.pem",
        "profile": "standard", "cookies.names": "host", "session.launch": "5m", "session.idle": "30m",
        "session.absolute": "2h", "session.lease": "45s", "limits.drain": "60s",
        "session.trail_secret": "trail.secret",
        "trusted_proxies": "10.0.0.1, 10.1.0.0/16",
        "provider.region": "jp", "provider.merchant_id": "A1EXAMPLEMERCH",
        "provider.store_id": "amzn1.application-oa2-client.0123456789abcdef0123456789abcdef",
        "provider.public_key_id": "SANDBOX-EXAMPLEKEY00000000000001", "provider.private_key": "merchant.pem",
        "provider.algorithm": "AMZN-PAY-RSASSA-PSS-V2", "provider.store_name": "My Sweet Shop",
        "shop.payment": "ご注文時に請求", "shop.delivery": "3日以内に発送", "shop.returns_en": "Within 8 days.",
        "shop.legal_url": "https://shop.example.com/legal", "shop.contact_url": "https://shop.example.com/contact",
        "apps.ios": #"[{"prefix":"ABCDE12345","bundle":"com.example.shop"}]"#,
        "apps.android": #"[{"package":"com.example.shop","fingerprints":["\#(fingerprint)"]}]"#,
    ]
    /// By the setting that names them.
    package var files: [String: ExaminedSettings.File]
    /// By the setting that names the file.
    package var exposures: [String: String] = [:]

    /// Nothing wrong.
    package init() throws {
        let certificate = try SoundSettings.certificate()
        files = [
            "tls.certificate": .content(Secret(certificate.certificatePEM)), "tls.key": .content(certificate.keyPEM),
            "provider.private_key": .content(SoundSettings.merchantKey),
            "session.trail_secret": .content(Secret([UInt8](repeating: 9, count: 32))),
        ]
    }

    /// A certificate that was issued at a time.
    package static func certificate(
        for names: [CertificateName] = hosts,
        at time: WallTime = present
    ) throws -> IssuedCertificate {
        let random = SeededRandom(seed: 4)
        let authority = try DevelopmentAuthority.make(name: "test", permitting: names, now: time, random: random)
        return try authority.issue(for: names, now: time, random: random)
    }

    /// Makes a setting hold what should stand in a file.
    package mutating func write(_ setting: String) {
        texts[setting] = ""
        files[setting] = .written
    }

    /// Features as these settings make them, and what their checks are given.
    package func examined(_ features: FeatureSet) -> (features: ConfiguredFeatures, settings: ExaminedSettings) {
        let variables = texts.map { (Setting.environmentName($0.key), $0.value) }
        let environment = Dictionary(variables) { first, _ in first }
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        let configured = features.configured(&reader)
        let paths = ["/button", "/confirm_order", "/error"]
        var settings = ExaminedSettings(reader, webPaths: paths, now: SoundSettings.present)
        // Those that are no feature's, too, and as they are written.
        settings.texts.merge(texts) { _, text in text }
        settings.files = files
        settings.exposures = exposures
        settings.areSound = true
        return (configured, settings)
    }
}

/// One mistake in settings that are sound otherwise, and how it is reported.
package struct PlantedMistake: Sendable, CustomStringConvertible {
    /// For people.
    package let description: String
    /// The code of the check.
    package let check: String
    /// How bad it is.
    package let severity: Severity
    /// The setting that the finding names.
    package let subject: String
    private let plant: @Sendable (inout SoundSettings) throws -> Void

    /// A mistake.
    package init(
        _ description: String,
        _ check: String,
        _ severity: Severity = .error,
        at subject: String,
        _ plant: @escaping @Sendable (inout SoundSettings) throws -> Void
    ) {
        self.description = description
        self.check = check
        self.severity = severity
        self.subject = subject
        self.plant = plant
    }

    /// A mistake in texts alone.
    package static func texts(
        _ check: String,
        _ severity: Severity = .error,
        at subject: String,
        _ texts: [String: String]
    ) -> PlantedMistake {
        let name = texts.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
        return PlantedMistake(name, check, severity, at: subject) { $0.texts.merge(texts) { _, new in new } }
    }

    /// Settings with this mistake alone.
    package func settings() throws -> SoundSettings {
        var settings = try SoundSettings()
        try plant(&settings)
        return settings
    }

    /// What is wrong with what was found of such settings; empty where the mistake is among it and nothing is worse.
    package func complaints(_ findings: [Finding]) -> [String] {
        guard let found = findings.first(where: { $0.check == check && $0.subject == subject }) else {
            return ["not found"] + findings.map(\.line)
        }
        var complaints: [String] = []
        if found.severity != severity { complaints.append("as \(found.severity)") }
        if found.remedy.isEmpty { complaints.append("without a remedy") }
        if !found.message.hasSuffix(".") || found.line.contains("\n") { complaints.append("not one sentence") }
        let status: (plain: Int32, strict: Int32) = severity == .error ? (2, 2) : (0, 1)
        let report = Report(findings)
        if report.exitStatus(isStrict: false) != status.plain || report.exitStatus(isStrict: true) != status.strict {
            complaints += ["not alone"] + findings.map(\.line)
        }
        return complaints
    }
}
