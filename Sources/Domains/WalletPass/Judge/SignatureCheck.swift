import Cryptography
import Primitives
import StrictJSON

/// Judges the signature of a pass and the certificates in it.
struct SignatureCheck {
    let signature: [UInt8]
    let manifest: [UInt8]
    let pass: JSONValue?
    let judge: PassJudge
    let time: WallTime
    private(set) var report: PassReport

    /// How far the clock of a signer may be ahead.
    private static let tolerance = Duration.seconds(300)

    init(signature: [UInt8], manifest: [UInt8], pass: JSONValue?, judge: PassJudge, time: WallTime) {
        self.signature = signature
        self.manifest = manifest
        self.pass = pass
        self.judge = judge
        self.time = time
        report = PassReport(isStrict: judge.expectations.isStrict)
    }

    /// Signatures of passes have 3 KB.
    private static let limit = 64 << 10

    private static let file = PassFileName.signature

    mutating func run() {
        guard let message = readMessage() else { return }
        if message.hasContent {
            report.error(.signatureContent, at: SignatureCheck.file, "the manifest is inside", remedy: "sign detached")
        }
        if message.contentType != Identifier.data {
            report.error(.signatureContent, at: SignatureCheck.file, "the content is of another kind than data")
        }
        if message.hasRevocations {
            report.warning(.signatureExtras, at: SignatureCheck.file, "has lists of revoked certificates")
        }
        if message.signers.count != 1 {
            report.error(.signers, at: SignatureCheck.file, "\(message.signers.count) signers, not one")
        }
        if let signer = message.signers.first { check(signer, of: message) }
        if !judge.trust.isEmpty,
            let words = SignedMessage.refusal(of: signature, over: manifest, roots: judge.trust, at: time)
        {
            report.error(.verification, at: SignatureCheck.file, words)
        }
    }

    private enum Identifier {
        static let data = "1.2.840.113549.1.7.1"
        static let contentType = "1.2.840.113549.1.9.3"
        static let messageDigest = "1.2.840.113549.1.9.4"
        static let signingTime = "1.2.840.113549.1.9.5"
    }

    private mutating func readMessage() -> SignedMessage? {
        guard signature.count <= SignatureCheck.limit else {
            report.error(.signatureForm, at: SignatureCheck.file, "more than \(SignatureCheck.limit) bytes")
            return nil
        }
        do throws(DERError) {
            return try SignedMessage(signature)
        } catch {
            if let bytes = try? DERValue.fromBER(signature), bytes != signature,
                let message = try? SignedMessage(bytes)
            {
                report.warning(.encoding, at: SignatureCheck.file, "BER, which phones read", remedy: "write DER")
                return message
            }
            let isPEM = signature.starts(with: "-----".utf8)
            let remedy = isPEM ? "write DER, not PEM" : ""
            report.error(.signatureForm, at: SignatureCheck.file, error.sentence, remedy: remedy)
            return nil
        }
    }

    private mutating func check(_ signer: SignedMessage.Signer, of message: SignedMessage) {
        let certificates = message.certificates.compactMap { try? X509Certificate($0) }
        guard certificates.count == message.certificates.count else {
            return report.error(.signerCertificate, at: SignatureCheck.file, "a certificate that cannot be read")
        }
        if signer.keyIdentifier != nil {
            report.warning(
                .signerName,
                at: SignatureCheck.file,
                "the signer is named by key",
                remedy: "name issuer and serial"
            )
        }
        guard let digest = DigestAlgorithm(identifier: signer.digest) else {
            return report.error(.signatureDigest, at: SignatureCheck.file, "an unknown digest", remedy: "use SHA-256")
        }
        if !message.digests.contains(signer.digest) {
            report.error(.signatureDigest, at: SignatureCheck.file, "the signer's digest is not announced")
        }
        if digest == .sha1 {
            report.warning(.signatureDigest, at: SignatureCheck.file, "signed over SHA-1", remedy: "use SHA-256")
        }
        let signingTime = checkAttributes(of: signer, digest)
        guard let leaf = message.certificate(of: signer) else {
            return report.error(.signerCertificate, at: SignatureCheck.file, "the signer's certificate is absent")
        }
        if certificates.count(where: { $0 == leaf }) > 1 {
            report.warning(.signatureExtras, at: SignatureCheck.file, "the signer's certificate twice")
        }
        checkSignature(of: signer, digest, by: leaf)
        checkLeaf(leaf)
        checkChain(from: leaf, certificates, signingTime)
    }

    /// Returns the time of signing.
    private mutating func checkAttributes(of signer: SignedMessage.Signer, _ digest: DigestAlgorithm) -> WallTime? {
        let place = SignatureCheck.file
        guard signer.attributes != nil else {
            report.error(.signedAttributes, at: place, "signs no attributes", remedy: "sign the time, too")
            return nil
        }
        if (try? signer.values(Identifier.contentType)?.first?.identifier()) != Identifier.data {
            report.error(.signedAttributes, at: place, "the content type is not signed, or not that of data")
        }
        if let signed = signer.values(Identifier.messageDigest)?.first?.content {
            checkDigest(signed, digest)
        } else {
            report.error(.signedAttributes, at: place, "the digest of the manifest is not signed")
        }
        if !signer.isInOrder {
            report.error(.attributeOrder, at: place, "the signed attributes are not in the order of DER")
        }
        guard let value = signer.values(Identifier.signingTime)?.first else {
            report.error(
                .signedAttributes,
                at: place,
                "the time of signing is not signed",
                remedy: "sign the time, too"
            )
            return nil
        }
        do throws(DERError) {
            let signed = try value.time()
            if signed > time + SignatureCheck.tolerance {
                report.error(.signingTime, at: place, "signed in the future", remedy: "set the clock of the signer")
            }
            return signed
        } catch {
            report.error(.signingTime, at: place, error.sentence)
            return nil
        }
    }

    private mutating func checkDigest(_ signed: [UInt8], _ digest: DigestAlgorithm) {
        guard signed != digest.digest(of: manifest) else { return }
        var text: [UInt8] = []
        for byte in manifest where byte != UInt8(ascii: "\r") {
            if byte == UInt8(ascii: "\n") { text.append(UInt8(ascii: "\r")) }
            text.append(byte)
        }
        let isText = signed == digest.digest(of: text)
        report.error(
            .messageDigest,
            at: SignatureCheck.file,
            isText ? "signed as text, with other line ends" : "signed over another manifest",
            remedy: isText ? "sign the bytes as they are" : "sign manifest.json as it is packed"
        )
    }

    private mutating func checkSignature(
        of signer: SignedMessage.Signer,
        _ digest: DigestAlgorithm,
        by leaf: X509Certificate
    ) {
        let place = SignatureCheck.file
        guard let key = try? RSAPublicKey(certificatePEM: leaf.pem()) else {
            return report.error(.key, at: place, "the signer's key is not RSA of 2048 bits or more")
        }
        switch digest.isAnnounced(by: signer.algorithm) {
        case nil: report.error(.signature, at: place, "not signed by RSA with PKCS#1 v1.5")
        case false?: report.error(.signature, at: place, "the kind of signature has another digest")
        case true?: break
        }
        if !key.verifyPKCS1(signer.signature, of: signer.signedBytes ?? manifest, digest: digest) {
            report.error(.signature, at: place, "not the signature of the signer's key")
        }
    }

    private mutating func checkLeaf(_ leaf: X509Certificate) {
        let (type, team) = (pass?.member("passTypeIdentifier")?.text, pass?.member("teamIdentifier")?.text)
        if type == nil || leaf.subjectTexts(PassIdentifier.userID).map(\.octets) != [type?.octets] {
            report.error(.certificatePassType, at: "UID", "the certificate is for another pass type")
        }
        if team == nil || leaf.subjectTexts(PassIdentifier.unit).map(\.octets) != [team?.octets] {
            report.error(.certificateTeam, at: "OU", "the certificate is of another team")
        }
        let names = ["Pass Type ID: ", "Pass Type ID with NFC: "].map { ($0 + (type ?? "")).octets }
        let own = leaf.subjectTexts(PassIdentifier.commonName).map(\.octets)
        if own.count != 1 || !names.contains(where: { own.contains($0) }) {
            report.warning(.certificateName, at: "CN", "not the name of a pass certificate")
        }
        if type == nil || leaf.markedPassType?.octets != type?.octets {
            report.error(.certificateMarker, at: PassIdentifier.marker, "no marker for the pass type")
        }
        if !leaf.extendedUsages.contains(PassIdentifier.passUsage) {
            report.error(.certificateUsage, at: PassIdentifier.passUsage, "the certificate is not for passes")
        }
        if let identifier = leaf.absentForPush.first {
            report.warning(.pushUsage, at: identifier, "the certificate cannot wake phones")
        }
        if !leaf.maySign { report.error(.keyUsage, at: "key usage", "the certificate is not for signatures") }
    }

    private mutating func checkChain(
        from leaf: X509Certificate,
        _ certificates: [X509Certificate],
        _ signingTime: WallTime?
    ) {
        let place = SignatureCheck.file
        var chain = [leaf]
        while chain.count < 5, let last = chain.last,
            let issuer = certificates.first(where: { !chain.contains($0) && last.isSigned(by: $0) })
        {
            chain.append(issuer)
        }
        if chain.count < 2 {
            report.error(.chain, at: place, "the certificate of the issuer is absent", remedy: "add the intermediate")
        }
        if chain.dropFirst().contains(where: { !$0.isAuthority }) {
            report.error(.chain, at: place, "a certificate that may not issue others")
        }
        if chain.contains(where: { $0.subject == $0.issuer }) {
            report.warning(.signatureExtras, at: place, "the root is inside")
        }
        if certificates.count > chain.count {
            report.warning(.signatureExtras, at: place, "certificates that do not belong to the chain")
        }
        if !judge.intermediates.isEmpty, !certificates.contains(where: { judge.intermediates.contains($0) }) {
            report.error(.chain, at: place, "the expected intermediate is absent")
        }
        checkAnchor(of: &chain)
        for certificate in chain {
            let name = certificate.subjectTexts(PassIdentifier.commonName).last ?? ""
            if !certificate.isValid(at: time) { report.error(.certificateValidity, at: name, "not valid now") }
            if let signingTime, !certificate.isValid(at: signingTime) {
                report.error(.certificateValidity, at: name, "not valid when the pass was signed")
            }
        }
    }

    private mutating func checkAnchor(of chain: inout [X509Certificate]) {
        guard !judge.trust.isEmpty else {
            return report.warning(.chain, at: SignatureCheck.file, "no root was given that the chain could lead to")
        }
        let last = chain.last
        let anchor = judge.trust.first { root in
            chain.contains(root) || last?.isSigned(by: root) == true
        }
        guard let anchor else {
            return report.error(.chain, at: SignatureCheck.file, "the chain does not lead to a trusted root")
        }
        if !chain.contains(anchor) { chain.append(anchor) }
    }
}
