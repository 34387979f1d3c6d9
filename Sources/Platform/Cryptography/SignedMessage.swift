/// A signature apart from its content, in the cryptographic message syntax (RFC 5652), taken apart.
///
/// A reader of structure: `verify` says whether the signature is good.
package struct SignedMessage: Sendable {
    /// One signer's part.
    package struct Signer: Sendable {
        /// The name of the certificate's issuer in DER; `nil` where the signer is named by key.
        package let issuer: [UInt8]?
        /// The certificate's serial number; `nil` where the signer is named by key.
        package let serialNumber: [UInt8]?
        /// The identifier of the certificate's key, where the signer is named by it.
        package let keyIdentifier: [UInt8]?
        /// The digest that the content and the attributes are reduced by, as object identifier.
        package let digest: String
        /// The kind of signature, as object identifier.
        package let algorithm: String
        /// What is signed beside the content; `nil` where the content alone is.
        package let attributes: [Attribute]?
        /// Whether the attributes stand in the order of DER.
        package let isInOrder: Bool
        /// What the signature is over where there are attributes: their set in DER.
        package let signedBytes: [UInt8]?
        /// The signature itself.
        package let signature: [UInt8]

        /// The values of an attribute; `nil` where it is absent.
        package func values(_ identifier: String) -> [DERValue]? {
            attributes?.first { $0.identifier == identifier }?.values
        }
    }

    /// A signed attribute.
    package struct Attribute: Sendable {
        /// Its object identifier.
        package let identifier: String
        /// Its values.
        package let values: [DERValue]
    }

    /// The kind of content, as object identifier.
    package let contentType: String
    /// Whether the content is inside, be it empty.
    package let hasContent: Bool
    /// The digests that are announced, as object identifiers.
    package let digests: [String]
    /// The certificates inside, in DER.
    package let certificates: [[UInt8]]
    /// Whether lists of revoked certificates are inside.
    package let hasRevocations: Bool
    /// The signers.
    package let signers: [Signer]

    /// Reads a message in DER.
    ///
    /// - Throws: What is wrong, also for other forms of BER: see `DERValue.fromBER`.
    package init(_ bytes: [UInt8]) throws(DERError) {
        let outer = try DERValue(bytes).values(of: DERValue.Tag.sequence)
        guard outer.count == 2, try outer[0].identifier() == "1.2.840.113549.1.7.2",
            let body = try outer[1].values(of: 0xA0).first
        else { throw DERError("no signed data") }
        var parts = try body.values(of: DERValue.Tag.sequence)
        guard parts.count >= 4 else { throw DERError("signed data have four parts at least") }
        var digests: [String] = []
        for algorithm in try parts[1].values(of: DERValue.Tag.set) {
            digests.append(try SignedMessage.algorithm(algorithm))
        }
        let content = try parts[2].values(of: DERValue.Tag.sequence)
        guard let type = content.first else { throw DERError("no content type") }
        contentType = try type.identifier()
        hasContent = content.count > 1
        self.digests = digests
        parts.removeFirst(3)
        var certificates: [[UInt8]] = []
        if parts.first?.tag == 0xA0 { certificates = try parts.removeFirst().values().map(\.encoding) }
        self.certificates = certificates
        hasRevocations = parts.first?.tag == 0xA1
        if hasRevocations { parts.removeFirst() }
        guard parts.count == 1 else { throw DERError("no list of signers") }
        var signers: [Signer] = []
        for signer in try parts[0].values(of: DERValue.Tag.set) { signers.append(try Signer(signer)) }
        self.signers = signers
    }

    fileprivate static func algorithm(_ value: DERValue) throws(DERError) -> String {
        guard let first = try value.values(of: DERValue.Tag.sequence).first else { throw DERError("no algorithm") }
        return try first.identifier()
    }

    /// The certificate that a signer names, among those inside.
    package func certificate(of signer: Signer) -> X509Certificate? {
        certificates.lazy.compactMap { try? X509Certificate($0) }.first { certificate in
            if let identifier = signer.keyIdentifier { return certificate.keyIdentifier == identifier }
            return certificate.serialNumber == signer.serialNumber && certificate.issuer == signer.issuer
        }
    }
}

extension SignedMessage.Signer {
    fileprivate init(_ value: DERValue) throws(DERError) {
        var parts = try value.values(of: DERValue.Tag.sequence)[...]
        // Version, name, digest, algorithm, signature; attributes where there are any.
        guard parts.count >= 5 else { throw DERError("a signer has five parts at least") }
        parts.removeFirst()
        let name = parts.removeFirst()
        switch name.tag {
        case DERValue.Tag.sequence:
            let both = try name.values()
            guard both.count == 2 else { throw DERError("a signer is named by issuer and serial number") }
            (issuer, serialNumber, keyIdentifier) = (both[0].encoding, both[1].content, nil)
        case 0x80: (issuer, serialNumber, keyIdentifier) = (nil, nil, name.content)
        default: throw DERError("a signer without a name")
        }
        digest = try SignedMessage.algorithm(parts.removeFirst())
        if let set = parts.first, set.tag == 0xA0 {
            parts.removeFirst()
            let items = try set.values()
            attributes = try SignedMessage.Signer.attributes(items)
            let encodings = items.map(\.encoding)
            isInOrder = zip(encodings, encodings.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
            // As a set of its own, not as the field of a signer.
            let head = set.encoding.prefix(set.encoding.count - set.content.count).dropFirst()
            let sorted = encodings.sorted { $0.lexicographicallyPrecedes($1) }
            signedBytes = [DERValue.Tag.set] + head + sorted.joined()
        } else {
            (attributes, isInOrder, signedBytes) = (nil, true, nil)
        }
        guard parts.count >= 2, let algorithm = parts.first, let signature = parts.dropFirst().first,
            signature.tag == DERValue.Tag.octetString
        else { throw DERError("a signer without a signature") }
        self.algorithm = try SignedMessage.algorithm(algorithm)
        self.signature = signature.content
    }

    private static func attributes(_ items: [DERValue]) throws(DERError) -> [SignedMessage.Attribute] {
        var attributes: [SignedMessage.Attribute] = []
        var identifiers: Set<String> = []
        for item in items {
            let pair = try item.values(of: DERValue.Tag.sequence)
            guard pair.count == 2 else { throw DERError("an attribute has a name and values") }
            let identifier = try pair[0].identifier()
            guard identifiers.insert(identifier).inserted else { throw DERError("an attribute twice") }
            let values = try pair[1].values(of: DERValue.Tag.set)
            attributes.append(SignedMessage.Attribute(identifier: identifier, values: values))
        }
        return attributes
    }
}
