/// The value of the `Authorization` field of a signed request.
package struct AuthorizationField {
    /// The label at the beginning.
    package let algorithm: SigningAlgorithm
    /// The name of the key.
    package let publicKeyID: String
    /// As it stands in the field, case and order kept.
    package let signedHeaders: String
    /// Standard Base64, not checked.
    package let signature: String

    init(algorithm: SigningAlgorithm, publicKeyID: String, signedHeaders: String, signature: String) {
        self.algorithm = algorithm
        self.publicKeyID = publicKeyID
        self.signedHeaders = signedHeaders
        self.signature = signature
    }

    /// Reads the form that `text` writes; blanks after the commas may be missing.
    package init?(_ text: String) {
        let halves = text.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, let algorithm = SigningAlgorithm(rawValue: String(halves[0])) else { return nil }
        var parts: [String: String] = [:]
        for part in halves[1].split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[1].isEmpty,
                parts.updateValue(String(sides[1]), forKey: String(sides[0])) == nil
            else { return nil }
        }
        guard parts.count == 3, let publicKeyID = parts["PublicKeyId"], let signedHeaders = parts["SignedHeaders"],
            let signature = parts["Signature"]
        else { return nil }
        self.init(
            algorithm: algorithm,
            publicKeyID: publicKeyID,
            signedHeaders: signedHeaders,
            signature: signature
        )
    }

    var text: String {
        "\(algorithm.label) PublicKeyId=\(publicKeyID), SignedHeaders=\(signedHeaders), Signature=\(signature)"
    }
}
