import Cryptography
import JOSE
import Primitives
import TestKit

/// Certificates in the form of the App Store's, with a fault where a test wants one.
struct TestPath {
    /// One of the three certificates.
    struct Level {
        var name: String
        var extensions: [CertificateProfile.Extension]
        var key: KeyKind
        var now = TestPath.now
        var lifetime = Duration.seconds(10 * 86_400)
    }

    /// 2026-03-14T01:59:26Z; certificates begin a day earlier.
    static let now = WallTime(seconds: 1_773_453_566)

    let root: X509Certificate
    let intermediate: X509Certificate
    let leaf: X509Certificate
    let leafKeyPEM: Secret<[UInt8]>

    /// As a header has them.
    var x5c: [String] { [leaf, intermediate, root].map { Base64.encode($0.der) } }

    var leafKey: ES256PrivateKey { get throws { try ES256PrivateKey(pem: leafKeyPEM) } }

    static let root = Level(
        name: "Root",
        extensions: [.init("basicConstraints", "critical,CA:TRUE"), .init("keyUsage", "critical,keyCertSign,cRLSign")],
        key: .p384
    )
    static let intermediate = Level(
        name: "Intermediate",
        extensions: [
            .init("basicConstraints", "critical,CA:TRUE,pathlen:0"),
            .init("keyUsage", "critical,keyCertSign,cRLSign"), .init("1.2.840.113635.100.6.2.1", "DER:05:00"),
        ],
        key: .p384
    )
    static let leaf = Level(
        name: "Leaf",
        extensions: [
            .init("basicConstraints", "critical,CA:FALSE"), .init("keyUsage", "critical,digitalSignature"),
            .init("1.2.840.113635.100.6.11.1", "DER:05:00"),
        ],
        key: .p256
    )

    init(root: Level = root, intermediate: Level = intermediate, leaf: Level = leaf) throws {
        let top = try root.issued(by: nil)
        let middle = try intermediate.issued(by: top)
        let last = try leaf.issued(by: middle)
        self.root = try X509Certificate(top.certificatePEM)
        self.intermediate = try X509Certificate(middle.certificatePEM)
        self.leaf = try X509Certificate(last.certificatePEM)
        leafKeyPEM = last.keyPEM
    }

    func verifier(_ purpose: CertificatePurpose = .appStore) -> CertificatePathVerifier {
        CertificatePathVerifier(roots: [root], purpose: purpose)
    }

    /// What a verifier finds; `nil` where it is good.
    func fault(at time: WallTime = now) -> CertificatePathError? {
        do throws(CertificatePathError) {
            _ = try verifier().verify(x5c, at: time)
            return nil
        } catch {
            return error
        }
    }
}

extension TestPath.Level {
    func issued(by issuer: IssuedCertificate?) throws -> IssuedCertificate {
        let profile = CertificateProfile(
            subject: [.init("CN", name), .init("OU", "test only")],
            extensions: extensions,
            lifetime: lifetime
        )
        let random = SeededRandom(seed: UInt64(name.utf8.count))
        return try IssuedCertificate.make(profile, issuer: issuer, key: key, now: now, random: random)
    }

    /// The same with one extension in place of another; an empty value leaves it out.
    func with(_ name: String, _ value: String) -> TestPath.Level {
        var copy = self
        copy.extensions = extensions.filter { !isNamed($0, name) }
        if !value.isEmpty { copy.extensions.append(.init(name, value)) }
        return copy
    }

    private func isNamed(_ one: CertificateProfile.Extension, _ name: String) -> Bool {
        "\(one)".contains("\"\(name)\"")
    }
}
