package import AmazonPay
package import Cryptography
import Primitives

/// What the signature of a button payload stands for, whether it is good, and what is likely to be wrong with it.
package struct ButtonExplanation: Sendable {
    /// SHA-256 of the payload, 64 hexadecimal digits.
    package let payloadHash: String
    /// What the key is given: the label and the hash.
    package let stringToSign: String
    /// What became of the signature.
    package let verdict: SignatureVerdict
    /// Where the text that the signer signed parts from the payload; empty where that text is not known.
    package let differences: [TextDifference]
    /// What to look at, the likeliest first.
    package let hints: [SignatureHint]

    /// A payload as a page hands it to the checkout script.
    package struct Payload: Sendable {
        /// `payloadJSON`, octet by octet.
        package let octets: [UInt8]
        /// `signature`.
        package let signature: String
        /// `algorithm`; `nil` where the page does not say.
        package let algorithm: SigningAlgorithm?

        /// A payload.
        ///
        /// - Parameters:
        ///   - octets: `payloadJSON`.
        ///   - signature: Standard Base64, from anywhere.
        ///   - algorithm: `nil` where the page does not say.
        package init(octets: [UInt8], signature: String, algorithm: SigningAlgorithm?) {
            self.octets = octets
            self.signature = signature
            self.algorithm = algorithm
        }
    }

    /// Explains a payload.
    ///
    /// - Parameters:
    ///   - key: The merchant's; without one nothing is verified.
    ///   - expected: The payload or the string to sign as the signing program had it, to be compared.
    package init(_ payload: Payload, key: RSAPublicKey?, expected: [UInt8]? = nil) {
        // The script assumes the older label where none is given.
        let label = payload.algorithm ?? .pss
        let string = StringToSign(for: payload.octets, label)
        let finding = key.map { key in
            SignatureTrial(signature: payload.signature, label: label, key: key).run(payload.octets) {
                SignatureCandidate.spellings(of: payload.octets)
            }
        }
        payloadHash = SHA256.digest(of: payload.octets).hexadecimal
        stringToSign = string.text
        verdict = finding?.verdict ?? .unchecked
        let theirs = expected ?? finding?.signed
        let isString = theirs?.starts(with: Array("AMZN-PAY-".utf8)) ?? false
        let difference = theirs.flatMap { text in
            isString
                ? TextDifference.first(Array(string.text.utf8), text) { $0 == 1 ? "the label" : "the hash" }
                : TextDifference.first(payload.octets, text) { _ in "the payload" }
        }
        differences = [difference].compactMap(\.self)
        var hints = (finding?.verdict.advice ?? []) + (finding?.hints ?? [])
        if payload.algorithm == nil {
            hints.append(
                SignatureHint(
                    "algorithm",
                    "the page names no algorithm, so the script assumes \(label.label): always name it"
                )
            )
        }
        if payload.octets.contains(UInt8(ascii: "\\")) {
            hints.append(
                SignatureHint(
                    "backslash",
                    "the payload has backslashes: the vendor's PHP library removes them before it hashes, so a payload signed "
                        + "there does not verify elsewhere"
                )
            )
        }
        self.hints = hints
    }
}
