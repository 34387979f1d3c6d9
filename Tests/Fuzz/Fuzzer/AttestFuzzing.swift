import CBOR
import Cryptography
import DeviceAttestation
import Primitives

/// What devices say of themselves: attestations, assertions, receipts.
///
/// Whatever comes, it is believed only for what the known device has signed.
let attestTarget = FuzzTarget(
    name: "attest",
    examine: { unit in
        guard let selection = Selection(unit, of: 4) else { return }
        switch selection.number {
        case 0: examineAttestation(selection.rest)
        case 1: examineAttestation(AttestFuzzSample.object(around: selection.rest))
        case 2: examineAssertion(selection.rest)
        default: examineReceipt(selection.rest)
        }
    },
    read: { unit in
        guard let selection = Selection(unit, of: 4) else { return }
        switch selection.number {
        case 0: _ = try? AttestationStatement(selection.rest)
        case 1: _ = try? AuthenticatorData.attestation(selection.rest)
        case 2: _ = try? AuthenticatorData.assertion(selection.rest)
        default: _ = try? DERValue.fromBER(selection.rest)
        }
    }
)

private func digest(_ bytes: [UInt8]) -> String { SHA256.digest(of: bytes).hexadecimal }

private func examineAttestation(_ unit: [UInt8]) {
    guard let sample = AttestFuzzSample.known else { return check(false, "the sample can be read") }
    let judged = try? sample.attestations.verify(
        unit,
        keyID: sample.keyID,
        clientDataHash: sample.clientDataHash,
        at: AttestFuzzSample.time
    )
    guard let judged else { return }
    check(judged.key.id == sample.keyID, "a key that is good is the one that was attested")
    let data = (try? CBORValue(unit))?["authData"]?.asBytes ?? []
    check(digest(data) == AttestFuzzSample.authenticatorData, "an attestation that is good is the one that was made")
}

private func examineAssertion(_ unit: [UInt8]) {
    guard let sample = AttestFuzzSample.known else { return check(false, "the sample can be read") }
    let judged = try? AppAssertion.verify(
        unit,
        clientDataHash: AttestFuzzSample.assertedHash,
        key: sample.assertingKey,
        app: sample.app
    )
    guard let judged else { return }
    check(judged.counter == 1, "an assertion that is good is the one that was made")
}

private func examineReceipt(_ unit: [UInt8]) {
    guard let sample = AttestFuzzSample.known else { return check(false, "the sample can be read") }
    let judged = try? sample.receipts.verify(
        unit,
        key: sample.key,
        app: sample.app,
        environment: .production,
        at: AttestFuzzSample.time
    )
    guard let judged else { return }
    check(judged.riskMetric == nil && judged.kind == .attestation, "a receipt that is good is the one that was made")
    check(judged.createdAt.microseconds == AttestFuzzSample.created, "and says when")
}
