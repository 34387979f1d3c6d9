import JOSE
import Primitives
import StrictJSON

@testable import Cryptography

/// Signed texts and what vouches for them: the texts themselves, certificates of their headers, answers of responders, sets of keys.
///
/// Whatever comes, it is believed only for what the known keys have signed.
let signedTarget = FuzzTarget(
    name: "signed",
    examine: { unit in
        guard let selection = Selection(unit, of: 5) else { return }
        switch selection.number {
        case 0: examineSignedText(selection.rest)
        case 1: examinePath(selection.rest)
        case 2: examineAnswer(selection.rest)
        case 3: examineKeys(selection.rest)
        default: examineSignature(selection.rest)
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 5) else { return }
        switch selection.number {
        case 0: _ = try? CompactJWS(selection.rest)
        case 1: _ = path(selection.rest)
        case 2: _ = answer(selection.rest)
        case 3: _ = try? JSONWebKeySet(selection.rest)
        default: _ = ECDSASignature(der: selection.rest, on: .p384)
        }
    }
)

private let verifier = SignedSamples.root.map { CertificatePathVerifier(roots: [$0], purpose: .appStore) }
private let key = SignedSamples.leaf.flatMap { try? JWSVerificationKey(certificate: $0) }

private func examineSignedText(_ unit: [UInt8]) {
    guard let jws = try? CompactJWS(unit) else { return }
    let trimmed = unit.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    let parts = trimmed.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
    check(parts.count == 3, "a text has three parts")
    check(Base64URL.encode(jws.payloadBytes).utf8.elementsEqual(parts[1]), "the payload is the second part")
    check(Base64URL.encode(jws.signature).utf8.elementsEqual(parts[2]), "the signature is the third part")
    guard let header = Base64URL.decode(text(parts[0])) else { return check(false, "the header is in Base64URL") }
    check(Base64URL.encode(header).utf8.elementsEqual(parts[0]), "the header is written in one way")
    let members = JSONValue.object(jws.header.members)
    check(JSONGrammar.canonical(header, depth: 4) == members.bytes, "both readers read the same header")
    check(JSONGrammar.canonical(jws.payloadBytes) == jws.payload.bytes, "both readers read the same payload")
    check(members["crit"] == nil, "nothing has to be understood")
    check(members["alg"]?.text?.octets == jws.header.algorithmText.octets, "the algorithm is that of the header")
    guard let key else { return check(false, "the key can be read") }
    guard (try? jws.verify(with: key, allowing: [.es256])) != nil else { return }
    let signed = SHA256.digest(of: parts[0] + [UInt8(ascii: ".")] + parts[1])
    check(Hex.encode(signed.bytes) == SignedSamples.text, "a text that is good is the one that was signed")
}

/// What a unit of lines, each a certificate, leads to.
private func path(_ unit: [UInt8]) -> VerifiedPath? {
    let lines = text(unit).split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    return try? verifier?.verify(lines, at: SignedSamples.time)
}

private func examinePath(_ unit: [UInt8]) {
    check(verifier != nil, "the root can be read")
    guard let path = path(unit) else { return }
    check(path.leaf == SignedSamples.leaf, "a leaf that is good is the one that was issued")
    check(path.intermediate == SignedSamples.intermediate, "and so is the intermediate")
    check(path.root == SignedSamples.root, "the root is that of the verifier")
}

private func answer(_ unit: [UInt8]) -> RevocationStatus? {
    guard let asked = SignedSamples.asked, let issuer = SignedSamples.issuer else { return nil }
    return OCSPAnswer.status(unit, of: asked, issuer: issuer, at: SignedSamples.time)
}

private func examineAnswer(_ unit: [UInt8]) {
    guard let status = answer(unit) else { return check(false, "the certificates can be read") }
    if case .undecided = status { return }
    // Response, bytes, basic response, what is signed.
    guard let bytes = try? DERValue(unit).values().last?.values().first?.values().last?.content,
        let signed = try? DERValue(bytes).values().first
    else { return check(false, "an answer that counts is DER") }
    let digest = Hex.encode(SHA256.digest(of: signed.encoding).bytes)
    check(SignedSamples.answers.contains(digest), "an answer that counts is one that was signed")
}

private func examineKeys(_ unit: [UInt8]) {
    guard let set = try? JSONWebKeySet(unit) else { return }
    check(JSONGrammar.canonical(unit, depth: 8) != nil, "both readers read the set")
    for entry in set.entries {
        guard let key = entry.key else { continue }
        guard let jwk = try? JSONWebKey.value(of: key, keyID: entry.keyID),
            let again = try? JWSVerificationKey(jwk: jwk)
        else { return check(false, "a key can be written and read") }
        check(again.algorithm == key.algorithm, "a key has one algorithm")
        check((try? JSONWebKey.value(of: again, keyID: entry.keyID)) == jwk, "a key is read as it was written")
    }
}

private func examineSignature(_ unit: [UInt8]) {
    for curve in EllipticCurve.allCases {
        if let signature = ECDSASignature(der: unit, on: curve) {
            check(signature.der == unit, "a signature in DER is written in one way")
            check(ECDSASignature(octets: signature.octets, on: curve) == signature, "both forms are one signature")
        }
        if let signature = ECDSASignature(octets: unit, on: curve) {
            check(ECDSASignature(der: signature.der, on: curve)?.octets == unit, "both forms are one signature")
        }
    }
}
