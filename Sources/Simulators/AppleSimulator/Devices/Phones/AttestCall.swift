import Cryptography
import Primitives
import SimulatorCore
import StrictJSON

/// What an app wants of a key, as a tester says it.
struct AttestCall: Sendable {
    /// The last word of the path.
    enum Step: String, Sendable {
        case makeKey = "attest-keys"
        case attest = "attestations"
        case sign = "assertions"
    }

    let step: Step
    /// The key's name; empty for a new one.
    let key: String
    /// SHA-256 of what is signed.
    let hash: [UInt8]
    /// Something that is wrong with it on purpose.
    let flaw: String?
    /// What systems from iOS 27 on say.
    let extensions: AttestExtensions?

    /// Reads a call.
    ///
    /// - Throws: 400, naming what is wrong.
    init(_ step: Step, _ body: ControlBody?) throws(ControlError) {
        self.step = step
        guard step != .makeKey else {
            try body?.check([])
            (key, hash, flaw, extensions) = ("", [], nil, nil)
            return
        }
        let flaws = step == .attest ? AttestationFlaw.allCases.map(\.rawValue) : AssertionFlaw.allCases.map(\.rawValue)
        try body?.check([
            .init("keyId", .text(60), isRequired: true), .init("clientData", .text(20_000)),
            .init("clientDataHash", .text(60)), .init("method", .text(10)), .init("target", .text(2_000)),
            .init("body", .text(20_000)), .init("challenge", .text(100)), .init("flaw", .oneOf(flaws)),
            .init("validationCategory", .count),
            .init("bundleVersion", .text(40)),
        ])
        let value = body?.value ?? .null
        key = value["keyId"]?.text ?? ""
        flaw = value["flaw"]?.text
        switch (AttestCall.request(value) ?? value["clientData"]?.text, value["clientDataHash"]?.text) {
        case (let text?, nil): hash = SHA256.digest(of: Array(text.utf8)).bytes
        case (nil, let text?):
            guard let bytes = Base64.decode(text), bytes.count == 32 else {
                throw ControlError("clientDataHash is no Base64 of 32 bytes.")
            }
            hash = bytes
        default: throw ControlError("One of clientData, clientDataHash and target is needed.")
        }
        extensions = value["validationCategory"]?.integer.map {
            AttestExtensions(category: UInt32(clamping: $0), bundleVersion: value["bundleVersion"]?.text ?? "1")
        }
    }

    /// A request as the app signs it for its server; `nil` where none is named.
    private static func request(_ value: JSONValue) -> String? {
        guard let target = value["target"]?.text else { return nil }
        let body = SHA256.digest(of: Array((value["body"]?.text ?? "").utf8)).hexadecimal
        let method = value["method"]?.text ?? "POST"
        return "sallyport-assertion-1\n\(method)\n\(target)\n\(body)\n\(value["challenge"]?.text ?? "")"
    }
}
