package import AmazonPay
import Cryptography
import Primitives

/// What became of a signature.
package enum SignatureVerdict: Sendable, Equatable {
    /// It is good.
    case good
    /// It stands for the text that was sent, but not under its label: the salt's length in bytes, and the label in the
    /// signed string.
    case goodUnder(saltLength: Int, label: SigningAlgorithm)
    /// It stands for the same thing done differently.
    case goodFor(SignatureVariant)
    /// It was made with this key, but over something else.
    case otherText
    /// It was made with another key, or altered since.
    case wrongKey
    /// It is no signature by this key; the text says why.
    case damaged(String)
    /// The service refuses the request before it looks at the signature.
    case malformed(RequestRefusal)
    /// There is no key to check it with.
    case unchecked

    /// One word for programs.
    package var code: String {
        switch self {
        case .good: "good"
        case .goodUnder: "good_under"
        case .goodFor: "good_for"
        case .otherText: "other_text"
        case .wrongKey: "wrong_key"
        case .damaged: "damaged"
        case .malformed: "malformed"
        case .unchecked: "unchecked"
        }
    }
}

/// Something that a person who looks for a mistake should know.
package struct SignatureHint: Sendable, Equatable {
    /// One word for programs.
    package let code: String
    /// For people: what is so, and what to do.
    package let text: String

    /// A hint.
    package init(_ code: String, _ text: String) {
        self.code = code
        self.text = text
    }
}

/// Tries what a signature may stand for.
struct SignatureTrial {
    let signature: String
    let label: SigningAlgorithm
    let key: RSAPublicKey

    /// What was found: the verdict, what was signed where it is known, and the signature's own peculiarities.
    struct Finding {
        var verdict: SignatureVerdict
        var signed: [UInt8]?
        /// The body that was signed, where it is not the one that was sent.
        var signedBody: [UInt8]?
        var hints: [SignatureHint] = []
    }

    func run(_ octets: [UInt8], _ candidates: () -> [SignatureCandidate]) -> Finding {
        guard !StringToSign(for: octets, label).isSigned(signature, by: key) else { return Finding(verdict: .good) }
        guard let bytes = SignatureTrial.decode(signature) else {
            return Finding(verdict: .damaged("it is not Base64"))
        }
        guard bytes.count == key.signatureBytes else {
            let counts = "it has \(bytes.count) octets, and signatures by this key have \(key.signatureBytes)"
            return Finding(verdict: .damaged(counts))
        }
        guard let anatomy = key.anatomy(of: bytes) else { return Finding(verdict: .wrongKey) }
        var finding = search(anatomy, octets, candidates)
        if Base64.decode(signature) == nil, finding.verdict != .goodFor(.base64Spelling) {
            finding.hints.append(hint(.base64Spelling))
        }
        addScheme(anatomy, to: &finding)
        return finding
    }

    private func search(
        _ anatomy: SignatureAnatomy,
        _ octets: [UInt8],
        _ candidates: () -> [SignatureCandidate]
    ) -> Finding {
        let other: SigningAlgorithm = label == .pss ? .pssV2 : .pss
        for algorithm in [label, other] where anatomy.isOf(Array(StringToSign(for: octets, algorithm).text.utf8)) {
            return Finding(verdict: verdict(anatomy, algorithm))
        }
        for wrapping in SignatureCandidate.Wrapping.allCases {
            guard let variant = wrapping.variant else { continue }
            for algorithm in [label, other] {
                let texts = SignatureCandidate.signed(octets, wrapping, algorithm)
                if texts.contains(where: anatomy.isOf) { return Finding(verdict: .goodFor(variant)) }
            }
        }
        for candidate in candidates() {
            for algorithm in [label, other] {
                let texts = SignatureCandidate.signed(candidate.octets, .string, algorithm)
                guard texts.contains(where: anatomy.isOf) else { continue }
                let verdict = SignatureVerdict.goodFor(candidate.variant)
                return Finding(verdict: verdict, signed: candidate.octets, signedBody: candidate.body)
            }
        }
        return Finding(verdict: .otherText)
    }

    /// The verdict on a signature over the right text.
    private func verdict(_ anatomy: SignatureAnatomy, _ algorithm: SigningAlgorithm) -> SignatureVerdict {
        switch anatomy.scheme {
        case .pkcs1: return .goodFor(.pkcs1)
        case .pss(_, .sha1): return .goodFor(.maskSHA1)
        case .pss(let length, .sha256):
            let isRight = algorithm == label && length == Int(label.saltLength)
            return isRight ? .goodFor(.base64Spelling) : .goodUnder(saltLength: length, label: algorithm)
        }
    }

    /// Says what is wrong with the scheme, beside what is wrong with the text.
    private func addScheme(_ anatomy: SignatureAnatomy, to finding: inout Finding) {
        switch anatomy.scheme {
        case .pkcs1 where finding.verdict != .goodFor(.pkcs1): finding.hints.append(hint(.pkcs1))
        case .pkcs1: break
        case .pss(let length, let mask):
            if mask == .sha1, finding.verdict != .goodFor(.maskSHA1) { finding.hints.append(hint(.maskSHA1)) }
            guard length != Int(label.saltLength) else { return }
            let greatest = length == key.signatureBytes - Digest32.byteCount - 2 ? ", the greatest possible" : ""
            finding.hints.append(
                SignatureHint(
                    "salt_length",
                    "the salt has \(length) octets\(greatest); \(label.label) wants \(label.saltLength): set the salt length"
                )
            )
        }
    }

    private func hint(_ variant: SignatureVariant) -> SignatureHint {
        SignatureHint(variant.rawValue, variant.advice)
    }

    /// The bytes of a signature, also in spellings that the service refuses.
    private static func decode(_ text: String) -> [UInt8]? {
        if let bytes = Base64.decode(text) { return bytes }
        let standard = text.utf8.filter { !JSONSpelling.isBlank($0) && $0 != UInt8(ascii: "=") }.map { byte in
            byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        return Base64.decode(String(decoding: standard + padding, as: UTF8.self))
    }
}
