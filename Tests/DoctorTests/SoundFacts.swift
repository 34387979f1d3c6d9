import AppLinks
import Cryptography
import Doctor
import Operations
import Primitives
import TestKit

/// 2026-03-14T01:59:26Z.
let present = WallTime(seconds: 1_773_453_566)

/// Keys and certificates, made once.
enum Material {
    static let hosts: [CertificateName] = [.host("pay.example.com"), .host("pay-links.example.com")]

    static let merchantKey: Secret<[UInt8]> = (try? RSAPrivateKey.generatePEM().privateKey) ?? Secret([])

    /// A certificate that was issued at a time.
    static func certificate(
        for names: [CertificateName] = hosts,
        at time: WallTime = present
    ) throws -> IssuedCertificate {
        let random = SeededRandom(seed: 4)
        let authority = try DevelopmentAuthority.make(name: "test", permitting: names, now: time, random: random)
        return try authority.issue(for: names, now: time, random: random)
    }
}

extension SettingFacts {
    /// A deployment with nothing wrong.
    static func sound() throws -> SettingFacts {
        var facts = SettingFacts(now: present)
        facts.texts = [
            "listen": "0.0.0.0:443", "web.base_url": "https://pay.example.com",
            "link.base_url": "https://pay-links.example.com", "tls.certificate": "cert.pem", "tls.key": "key.pem",
            "profile": "standard", "cookies.names": "host", "session.launch": "5m", "session.idle": "30m",
            "session.absolute": "2h", "session.lease": "45s", "limits.drain": "60s",
            "trusted_proxies": "10.0.0.1, 10.1.0.0/16",
            "provider.region": "jp", "provider.merchant_id": "A1EXAMPLEMERCH",
            "provider.store_id": "amzn1.application-oa2-client.0123456789abcdef0123456789abcdef",
            "provider.public_key_id": "SANDBOX-EXAMPLEKEY00000000000001", "provider.private_key": "merchant.pem",
            "provider.algorithm": "AMZN-PAY-RSASSA-PSS-V2", "provider.store_name": "My Sweet Shop",
        ]
        let certificate = try Material.certificate()
        facts.files = [
            "tls.certificate": .content(Secret(certificate.certificatePEM)), "tls.key": .content(certificate.keyPEM),
            "provider.private_key": .content(Material.merchantKey),
        ]
        facts.iosApps = [
            IOSApp(prefix: "ABCDE12345", bundle: "com.example.shop", services: ["applinks", "webcredentials"])
        ]
        let fingerprint = (0..<32).map { "\($0 / 10)\($0 % 10)" }.joined(separator: ":")
        facts.androidApps = [AndroidApp(package: "com.example.shop", fingerprints: [fingerprint])]
        facts.webPaths = ["/button", "/confirm_order", "/error"]
        facts.returnPaths = ["/confirm_order", "/checkout_cancel", "/checkout_result"]
        return facts
    }

    /// Makes a setting hold what should stand in a file.
    mutating func write(_ setting: String) {
        texts[setting] = ""
        files[setting] = .written
    }

    /// The association file that the program would serve.
    func appleFile() throws -> [UInt8] {
        let apps = try iosApps.map { app in
            try AppleApp(prefix: app.prefix, bundle: app.bundle, services: app.services, isClip: app.isClip)
        }
        return AssociationDocument.apple(apps, LinkRules(.returnLink))
    }

    /// What is found, the file for iOS included where the apps come to one.
    func findings() -> [Finding] {
        OfflineChecks.findings(self, appleFile: try? appleFile())
    }
}
