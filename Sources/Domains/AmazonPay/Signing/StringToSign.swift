package import Cryptography
import Primitives

/// The two lines that are signed: the label, and the hexadecimal SHA-256 of what the signature stands for.
package struct StringToSign: Sendable, Hashable {
    /// The label's algorithm.
    package let algorithm: SigningAlgorithm
    /// Label, line feed, 64 hexadecimal digits; ASCII.
    package let text: String

    /// The string for a canonical request or a button payload.
    package init(for octets: [UInt8], _ algorithm: SigningAlgorithm) {
        self.algorithm = algorithm
        text = algorithm.label + "\n" + SHA256.digest(of: octets).hexadecimal
    }

    /// Whether a signature is good.
    ///
    /// - Parameters:
    ///   - signature: Standard Base64, from anywhere.
    /// - Returns: False for every defect, the wrong salt length among them.
    package func isSigned(_ signature: String, by key: RSAPublicKey) -> Bool {
        guard let bytes = Base64.decode(signature) else { return false }
        return key.verifyPSS(bytes, of: Array(text.utf8), saltLength: algorithm.saltLength)
    }
}
