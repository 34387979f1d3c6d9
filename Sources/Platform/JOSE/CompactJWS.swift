import Primitives
package import StrictJSON

/// A signed text in compact form, taken apart; nothing of it is verified.
///
/// RFC 7515 section 7.1: header, payload and signature in Base64URL, with dots between them. A signature by ECDSA has a twin that is just
/// as good, so the text is no key under which something is stored once.
package struct CompactJWS: Sendable {
    /// The header.
    package let header: JWSHeader
    /// The payload, an object without repeated members.
    package let payload: JSONValue
    /// The payload as it was signed.
    package let payloadBytes: [UInt8]
    /// The signature; empty where the text has none.
    package let signature: [UInt8]
    /// Header and payload as they came, with the dot between them.
    private let signed: [UInt8]

    private static let depth = 16
    private static let values = 16_384

    /// Takes a text apart.
    ///
    /// - Parameters:
    ///   - text: White space around it is ignored, none is allowed inside.
    ///   - limit: In bytes, white space among them.
    /// - Throws: `malformed`.
    package init(_ text: [UInt8], limit: Int = 1 << 20) throws(JWSError) {
        guard text.count <= limit else { throw .malformed(.size) }
        let text = CompactJWS.trimmed(text)
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed(.parts) }
        let header = try CompactJWS.decoded(parts[0])
        payloadBytes = try CompactJWS.decoded(parts[1])
        signature = try CompactJWS.decoded(parts[2])
        self.header = try JWSHeader(header)
        guard
            let payload = try? JSONParser.parse(
                payloadBytes,
                depth: CompactJWS.depth,
                values: CompactJWS.values
            ), case .object = payload
        else { throw .malformed(.payload) }
        self.payload = payload
        signed = Array(text[..<parts[1].endIndex])
    }

    /// Takes a text apart, as the form that takes bytes does.
    ///
    /// - Throws: `malformed`.
    package init(_ text: String, limit: Int = 1 << 20) throws(JWSError) {
        guard text.utf8.count <= limit else { throw .malformed(.size) }
        try self.init(Array(text.utf8), limit: limit)
    }

    /// Verifies the signature over header and payload as they came.
    ///
    /// Takes 0.1 ms with a key on P-256, less with RSA.
    ///
    /// - Parameter algorithms: Those allowed; the key's own has to be among them.
    /// - Throws: `algorithm` where the header names one that is not allowed or not the key's; `signature`.
    package func verify(
        with key: JWSVerificationKey,
        allowing algorithms: Set<JWSAlgorithm>
    ) throws(JWSError) {
        guard let algorithm = header.algorithm, algorithms.contains(algorithm), algorithm == key.algorithm else {
            throw .algorithm
        }
        guard key.isGood(signature, of: signed) else { throw .signature }
    }

    private static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let end = text.lastIndex(where: { !isBlank($0) }) else { return [] }
        return text[...end].drop(while: isBlank)
    }

    private static func decoded(_ part: ArraySlice<UInt8>) throws(JWSError) -> [UInt8] {
        guard let bytes = Base64URL.decode(part.span) else { throw .malformed(.encoding) }
        return bytes
    }
}
