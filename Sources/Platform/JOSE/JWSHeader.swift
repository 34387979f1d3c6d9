import Primitives
package import StrictJSON

/// The header of a signed text, RFC 7515 section 4; nothing of it is verified.
///
/// It names no key to believe: `jwk`, `jku` and `x5u` are not read, and `kid` only tells apart keys that are known already.
package struct JWSHeader: Sendable {
    /// The algorithm, where it is one that is known; letter case counts.
    package let algorithm: JWSAlgorithm?
    /// The algorithm as it is written.
    package let algorithmText: String
    /// `kid`; `nil` where it is absent.
    package let keyID: String?
    /// `typ`; `nil` where it is absent.
    package let type: String?
    /// `x5c` as it was sent: each a certificate in standard Base64, by agreement; `nil` where it is absent or not a list of texts.
    package let certificates: [String]?
    /// All members.
    package let members: [JSONMember]

    /// Of a header that is read here; `x5c` has a depth of two.
    private static let depth = 4
    private static let values = 256
    /// A header with three certificates has 6 KB.
    private static let limit = 65_536

    /// Reads a header.
    ///
    /// - Parameter bytes: What the first part stands for.
    init(_ bytes: [UInt8]) throws(JWSError) {
        guard bytes.count <= JWSHeader.limit,
            let value = try? JSONParser.parse(bytes, depth: JWSHeader.depth, values: JWSHeader.values),
            case .object(let members) = value
        else { throw .malformed(.header) }
        guard !members.contains(where: { $0.name.octets == "crit" }) else { throw .malformed(.critical) }
        guard let algorithm = try JWSHeader.text("alg", in: members) else { throw .malformed(.header) }
        self.algorithm = JWSAlgorithm(word: algorithm.octets)
        algorithmText = algorithm
        keyID = try JWSHeader.text("kid", in: members)
        type = try JWSHeader.text("typ", in: members)
        certificates = JWSHeader.texts("x5c", in: members)
        self.members = members
    }

    /// A text; `nil` where it is absent, but not where it is `null`.
    private static func text(_ name: String, in members: [JSONMember]) throws(JWSError) -> String? {
        guard let member = members.first(where: { $0.name.octets == name.octets }) else { return nil }
        guard let text = member.value.text else { throw .malformed(.header) }
        return text
    }

    private static func texts(_ name: String, in members: [JSONMember]) -> [String]? {
        guard case .array(let elements)? = members.first(where: { $0.name.octets == name.octets })?.value else {
            return nil
        }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }
}
