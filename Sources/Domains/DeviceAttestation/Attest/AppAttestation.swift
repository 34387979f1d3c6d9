import CBOR
package import Cryptography
package import JOSE
package import Primitives

/// A key that Apple vouches for: a genuine device made it for an unmodified copy of one of the apps.
package struct AppAttestation: Sendable {
    /// Judges what the key signs from now on.
    package let key: AttestedKey
    /// Whose instance has the key.
    package let app: AttestedApp
    /// Where the key counts.
    package let environment: AttestEnvironment
    /// What Apple is asked about the device with, later on; not judged here.
    package let receipt: [UInt8]
    /// How the app came onto the device; `nil` on systems before iOS 27.
    package let category: ValidationCategory?
    /// The version of the app; likewise.
    package let bundleVersion: String?
    /// What the counter of a new key is; each assertion goes on from the one before.
    package static let firstCounter: UInt32 = 0
}

/// Judges attestations for some apps in one environment.
///
/// In the order of Apple's steps, with a reason of its own for each. That the challenge is one of ours, unused and in time, is for the
/// caller to find out. One judgement takes about 2 ms; may be used from any thread.
package struct AppAttestationVerifier: Sendable {
    /// The apps whose instances are believed.
    package let apps: [AttestedApp]
    /// Keys of the other one are refused.
    package let environment: AttestEnvironment
    private let paths: CertificatePathVerifier

    /// The most bytes of an attestation; those of today have about 6,000.
    package static let greatestSize = 1 << 15

    /// A verifier.
    ///
    /// - Parameter roots: Trusted for attestations and nothing else; where there are none, nothing is good.
    package init(apps: [AttestedApp], environment: AttestEnvironment, roots: [X509Certificate]) {
        self.apps = apps
        self.environment = environment
        paths = CertificatePathVerifier(roots: roots, purpose: .appAttest)
    }

    /// Judges an attestation.
    ///
    /// - Parameters:
    ///   - object: As the system gave it to the app.
    ///   - keyID: As the app named the key.
    ///   - clientDataHash: What the app gave the system: SHA-256 of the challenge.
    ///   - time: When the certificates have to be valid.
    package func verify(
        _ object: [UInt8],
        keyID: Digest32,
        clientDataHash: [UInt8],
        at time: WallTime
    ) throws(AttestRefusal) -> AppAttestation {
        let statement = try AttestationStatement(object)
        let leaf = try leaf(of: statement, at: time)
        guard let key = AttestedKey(leaf) else { throw .key }
        let nonce = SHA256.digest(of: statement.authenticatorData + clientDataHash)
        guard try AttestationStatement.nonce(of: leaf) == nonce else { throw .nonce }
        guard key.id == keyID else { throw .keyID }
        let data = try AuthenticatorData.attestation(statement.authenticatorData)
        guard let app = apps.first(where: { $0.identifierHash.bytes == data.appHash }) else { throw .app }
        guard data.counter == AppAttestation.firstCounter else { throw .counter }
        guard let credential = data.credential else { throw .authenticatorData }
        guard credential.authenticatorID == environment.authenticatorID else { throw .environment }
        guard credential.id == keyID.bytes else { throw .credentialID }
        guard credential.key == key else { throw .credentialKey }
        return AppAttestation(
            key: key,
            app: app,
            environment: environment,
            receipt: statement.receipt,
            category: data.category,
            bundleVersion: data.bundleVersion
        )
    }

    private func leaf(of statement: AttestationStatement, at time: WallTime) throws(AttestRefusal) -> X509Certificate {
        do throws(CertificatePathError) {
            return try paths.verify(leaf: statement.leaf, intermediate: statement.intermediate, at: time).leaf
        } catch {
            throw AttestRefusal(error)
        }
    }
}

extension CertificatePurpose {
    /// Keys of devices; the authority issues for nothing else, so its intermediates have no mark.
    package static let appAttest = CertificatePurpose(
        intermediateMarker: nil,
        leafMarker: AttestationStatement.nonceExtension
    )
}

/// An attestation taken apart; nothing in it is believed yet.
package struct AttestationStatement: Sendable {
    let leaf: [UInt8]
    let intermediate: [UInt8]
    let receipt: [UInt8]
    let authenticatorData: [UInt8]

    /// The extension of a certificate that says what was attested.
    package static let nonceExtension = "1.2.840.113635.100.8.2"
    /// What Apple's format is called.
    package static let format = "apple-appattest"

    /// Takes an attestation apart.
    package init(_ object: [UInt8]) throws(AttestRefusal) {
        guard object.count <= AppAttestationVerifier.greatestSize else { throw .tooLarge }
        guard let map = try? CBORValue(object), map.entries != nil else { throw .form }
        guard let format = map["fmt"]?.asText else { throw .members }
        guard format.octets == AttestationStatement.format.octets else { throw .format }
        guard let statement = map["attStmt"], let certificates = statement["x5c"]?.elements,
            let receipt = statement["receipt"]?.asBytes, let data = map["authData"]?.asBytes
        else { throw .members }
        guard certificates.count == 2 else { throw .certificateCount }
        guard let leaf = certificates[0].asBytes, let intermediate = certificates[1].asBytes else { throw .members }
        self.leaf = leaf
        self.intermediate = intermediate
        self.receipt = receipt
        authenticatorData = data
    }

    /// What a certificate says was attested: a sequence of one octet string, tagged 1, and nothing else.
    static func nonce(of leaf: X509Certificate) throws(AttestRefusal) -> Digest32 {
        guard let content = leaf.value(ofExtension: nonceExtension), let sequence = try? DERValue(content),
            let fields = try? sequence.values(of: DERValue.Tag.sequence), fields.count == 1,
            let strings = try? fields[0].values(of: 0xA1), strings.count == 1,
            strings[0].tag == DERValue.Tag.octetString, let digest = Digest32(strings[0].content.span)
        else { throw .nonceForm }
        return digest
    }
}
