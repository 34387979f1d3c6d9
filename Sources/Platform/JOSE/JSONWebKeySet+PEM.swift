import Cryptography
import Primitives
import StrictJSON

extension JSONWebKeySet {
    /// Reads a set in the other form that providers of logins publish: an object with the name of each key, and its PEM text.
    ///
    /// A value that is not exactly one public key (`BEGIN PUBLIC KEY`) is an entry that nothing can be verified with.
    ///
    /// - Parameter document: UTF-8.
    /// - Throws: `malformedKeys`, `tooManyKeys`.
    package init(pemMap document: [UInt8]) throws(JSONWebKeyError) {
        guard let members = JSONWebKeySet.object(document)?.members else { throw .malformedKeys }
        guard members.count <= JSONWebKeySet.maximumCount else { throw .tooManyKeys }
        let named = members.filter { $0.name.utf8.count <= JSONWebKeySet.maximumName }
        self.init(entries: named.map { Entry(keyID: $0.name, key: JSONWebKeySet.key($0.value)) })
    }

    private static func key(_ value: JSONValue) -> JWSVerificationKey? {
        guard let text = value.text, isOneBlock(text) else { return nil }
        return try? JWSVerificationKey(pem: Array(text.utf8))
    }

    /// Whether a text is one block of a public key, with nothing but white space around it.
    private static func isOneBlock(_ text: String) -> Bool {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let bytes = text.utf8.drop(while: isBlank)
        guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return false }
        let block = String(decoding: bytes[...last], as: UTF8.self).octets
        // Five dashes stand four times in one block, and nowhere in its content.
        return block.starts(with: "-----BEGIN PUBLIC KEY-----") && block.ends(with: "-----END PUBLIC KEY-----")
            && block.utf8.count(where: { $0 == UInt8(ascii: "-") }) == 20
    }
}
