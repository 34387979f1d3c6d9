/// Why a signed text is refused; nothing of the text is in it.
package enum JWSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The part of the form that is broken.
    package enum Fault: String, Sendable {
        /// Longer than allowed.
        case size
        /// Not three parts between dots.
        case parts
        /// A part that is not Base64URL, or not in its canonical spelling.
        case encoding
        /// A header that is no JSON object, is too large, or has a member of the wrong type.
        case header
        /// A header that names extensions which a reader has to understand.
        case critical
        /// A payload that is no JSON object, or lies too deep.
        case payload
    }

    /// The form is broken.
    case malformed(Fault)
    /// The text names an algorithm that is not allowed, or another one than the key's.
    case algorithm
    /// The signature is not the key's.
    case signature

    /// A word for logs and counters, for example `malformed_header`.
    package var description: String {
        switch self {
        case .malformed(let fault): "malformed_" + fault.rawValue
        case .algorithm: "algorithm"
        case .signature: "signature"
        }
    }
}
