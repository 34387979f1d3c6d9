import Primitives

@testable import Cryptography
@testable import TLS

/// Certificates in PEM, as the notification service and the operator's files bring them.
///
/// Whatever comes, it is believed only with the one key that the trusted root has signed.
let certificateTarget = FuzzTarget(
    name: "certificate",
    examine: { unit in
        readFiles(unit)
        guard let chain else { return check(false, "the root can be read") }
        let verdict = chain.verify(leafPEM: unit, names: ["sns.example"], at: time)
        guard case .good = verdict else { return }
        let key = try? Certificate(pem: unit).publicKeyPEM()
        check(key == leafKey, "a certificate that is believed has the key that the root has signed")
        let elsewhere = chain.verify(leafPEM: unit, names: ["other.example"], at: time)
        check(elsewhere == .wrongName, "a certificate speaks for its own name")
        let late = WallTime(seconds: time.seconds + 40 * 366 * 86_400)
        check(chain.verify(leafPEM: unit, names: ["sns.example"], at: late) == .expired, "a certificate ends")
    },
    read: { unit in
        readFiles(unit)
        _ = chain?.verify(leafPEM: unit, names: ["sns.example"], at: time)
    }
)

/// A time at which both certificates are valid.
private let time = WallTime(seconds: 1_800_000_000)
private let chain = try? CertificateChain(anchorsPEM: Array(certificateRoot.utf8))
private let leafKey = try? Certificate(pem: Array(certificateLeaf.utf8)).publicKeyPEM()

private func readFiles(_ unit: [UInt8]) {
    let certificates = PEMReader(unit)
    var count = 0
    while count < 100, certificates.nextCertificate() != nil { count += 1 }
    _ = PEMReader(unit).nextPrivateKey() != nil
    _ = try? RSAPublicKey(pem: unit)
}
