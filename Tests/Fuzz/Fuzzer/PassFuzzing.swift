import Cryptography
import Primitives
import StrictJSON

@testable import WalletPass

/// What a pass is made of and judged by: templates and their values, signatures, certificates, words of pass.json.
let passTarget = FuzzTarget(
    name: "pass",
    examine: { unit in
        guard let selection = Selection(unit, of: 4) else { return }
        switch selection.number {
        case 0: examineTemplate(selection.rest)
        case 1: examineMessage(selection.rest)
        case 2: examineCertificate(selection.rest)
        default: examineText(text(selection.rest))
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 4) else { return }
        switch selection.number {
        case 0: _ = template(of: selection.rest)
        case 1:
            _ = try? SignedMessage(selection.rest)
            _ = try? DERValue.fromBER(selection.rest)
        case 2: _ = try? X509Certificate(selection.rest)
        default: _ = PlaceholderText(text(selection.rest)).names
        }
    }
)

private func template(of json: [UInt8]) -> PassTemplate? {
    try? PassTemplate(name: "fuzz", files: PassSamples.icons + [PassFile(name: "pass.json", bytes: json)])
}

/// Values that would change more than themselves where they were put in as text.
private let hostile = ["\",\"x\":\"", "}]}", "\\", "{{a}}", "<a href='javascript:'>", "%@", "\u{0}", ""]

private func examineTemplate(_ unit: [UInt8]) {
    guard let template = template(of: unit) else { return }
    var values = PassValues(serialNumber: "S")
    for (index, name) in template.placeholders.enumerated() {
        values.fields[name] =
            index % 3 == 2 ? .integer(Int64(index)) : .text(hostile[(index + unit.count) % hostile.count])
    }
    guard let filled = try? template.content(values) else { return }
    guard let pass = try? JSONParser.parse(filled.json, depth: 40) else { return check(false, "a filled pass is JSON") }
    var checks = PassCheckList(pass, .pass)
    checks.run()
    check(!checks.report.findings.contains { $0.severity == .error }, "a filled pass keeps the rules")
    check(names(pass) == names(template, unit), "values add no members")
    check((try? template.content(values))?.digest == filled.digest, "the same values are the same version")
    values.isFinal = true
    guard let final = try? template.content(values), let last = try? JSONParser.parse(final.json, depth: 40) else {
        return check(false, "a pass that can be filled can be ended")
    }
    check(last["voided"] == true && last["barcodes"] == nil && last["locations"] == nil, "an ended pass lets nobody in")
}

/// The names of a filled pass's members at all depths, in order.
private func names(_ value: JSONValue) -> [OctetText] {
    let own = value.members.map(\.name.octets)
    let inside = value.members.flatMap { names($0.value) } + value.elements.flatMap { names($0) }
    return (own + inside).sorted()
}

/// The names of a template's members with what is added to each pass.
private func names(_ template: PassTemplate, _ unit: [UInt8]) -> [OctetText] {
    guard let written = try? JSONParser.parse(unit, depth: 40) else { return [] }
    return (names(written) + ["serialNumber"]).sorted()
}

private func examineMessage(_ unit: [UInt8]) {
    if let value = try? DERValue(unit) { check(value.encoding == unit, "a value of DER is all of its bytes") }
    guard let root = PassSamples.root else { return check(false, "the root can be read") }
    let message = (try? SignedMessage(unit)) ?? (try? SignedMessage(DERValue.fromBER(unit)))
    let refusal = SignedMessage.refusal(of: unit, over: PassSamples.content, roots: [root], at: PassSamples.time)
    guard refusal == nil, let message, let signer = message.signers.first else { return }
    guard let leaf = message.certificate(of: signer) else { return }
    check(leaf == PassSamples.leaf, "a signature that is good is by the one key that signs")
    guard let key = try? RSAPublicKey(certificatePEM: leaf.pem()) else { return check(false, "the key can be read") }
    let signed = signer.signedBytes ?? PassSamples.content
    check(key.verifyPKCS1(signer.signature, of: signed, digest: .sha256), "the signature is over what was read")
}

private func examineCertificate(_ unit: [UInt8]) {
    guard let certificate = try? X509Certificate(unit) else { return }
    if unit.first == 0x30 { check(certificate.der == unit, "a certificate is all of its bytes") }
    let again = (try? certificate.pem()).flatMap { try? X509Certificate($0) }
    check(again == certificate, "a certificate comes through PEM")
    if let facts = (try? certificate.pem()).flatMap({ try? CertificateFacts(pem: $0) }) {
        check(facts.notBefore.seconds == certificate.notBefore.seconds, "a certificate begins once")
        check(facts.notAfter.seconds == certificate.notAfter.seconds, "a certificate ends once")
    }
}

private func examineText(_ text: String) {
    if PassDate.isValid(text) { check((16...64).contains(text.utf8.count), "a date has a time of day and a zone") }
    if Markup.hasLinksOnly(text) { check(!text.contains("<script>") && !text.contains("<b>"), "no other markup") }
    let template = PlaceholderText(text)
    var written = ""
    for piece in template.pieces {
        switch piece {
        case .literal(let literal): written += literal
        case .placeholder(let name): written += "{{\(name)}}"
        }
    }
    check(written.octets == text.octets, "the pieces are the whole text")
}
