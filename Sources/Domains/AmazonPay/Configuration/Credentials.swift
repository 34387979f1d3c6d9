import Cryptography
package import Primitives

/// What an operator writes down to use an account.
package struct CredentialSettings: Sendable {
    /// `A` and 10 to 20 capital letters or digits.
    package var merchantID = ""
    /// `amzn1.application-oa2-client.` and 32 hexadecimal digits.
    package var storeID = ""
    /// See `PublicKeyID`.
    package var publicKeyID = ""
    /// PEM, PKCS#8 or PKCS#1, without a passphrase.
    package var privateKeyPEM = Secret<[UInt8]>([])
    /// See `SigningAlgorithm`.
    package var algorithm = SigningAlgorithm.pssV2.rawValue
    /// See `AmazonPayRegion`.
    package var region = AmazonPayRegion.japan.rawValue
    /// `sandbox` or `live`; needed only for a key id without a prefix, empty otherwise.
    package var environment = ""

    /// Settings with every default.
    package init() {}
}

/// Settings that cannot be used; all that is wrong with them at once.
package struct AmazonPayConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One sentence for each problem; no secrets.
    package let problems: [String]

    /// The given problems.
    ///
    /// - Parameter problems: At least one sentence; no secrets.
    package init(problems: [String]) {
        self.problems = problems
    }

    package var description: String { problems.joined(separator: "; ") }
}

/// An account, with the key that signs for it.
package struct Credentials: Sendable {
    /// The merchant account.
    package let merchantID: String
    /// The store within it.
    package let storeID: String
    /// The name of the key.
    package let publicKeyID: PublicKeyID
    /// How requests and buttons are signed.
    package let algorithm: SigningAlgorithm
    /// Where the account is.
    package let region: AmazonPayRegion
    /// Whether money moves.
    package let environment: AmazonPayEnvironment

    let signer: MessageSigner

    /// Checks settings.
    ///
    /// - Throws: Every problem that was found.
    package init(_ settings: CredentialSettings) throws(AmazonPayConfigurationError) {
        var problems: [String] = []
        func need<Value>(_ value: Value?, _ problem: String) -> Value? {
            if value == nil { problems.append(problem) }
            return value
        }
        let merchantID = need(Credentials.merchantID(settings.merchantID), "the merchant id is malformed")
        let storeID = need(Credentials.storeID(settings.storeID), "the store id is malformed")
        let keyID = need(PublicKeyID(settings.publicKeyID), "the public key id is malformed")
        let algorithm = need(SigningAlgorithm(rawValue: settings.algorithm), "the signing algorithm is unknown")
        let region = need(AmazonPayRegion(named: settings.region), "the region is unknown")
        let environment = Credentials.environment(settings.environment, keyID, &problems)
        let key = Credentials.key(settings.privateKeyPEM, &problems)
        guard problems.isEmpty, let merchantID, let storeID, let keyID, let algorithm, let region, let environment,
            let key
        else { throw AmazonPayConfigurationError(problems: problems) }
        self.merchantID = merchantID
        self.storeID = storeID
        self.publicKeyID = keyID
        self.algorithm = algorithm
        self.region = region
        self.environment = environment
        signer = MessageSigner(algorithm: algorithm, key: key)
    }

    /// The path of a resource.
    ///
    /// A key id with a prefix decides the environment by itself; with an older one the path does.
    ///
    /// - Parameter resource: Without a leading slash, for example `checkoutSessions/…/complete`.
    package func path(_ resource: String) -> String {
        guard publicKeyID.environment == nil else { return "/v2/" + resource }
        return "/\(environment.rawValue)/v2/\(resource)"
    }

    private static func merchantID(_ text: String) -> String? {
        let rest = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "A"), rest.count >= 10, rest.count <= 20 else { return nil }
        return rest.allSatisfy(Characters.isAlphanumeric) && text == text.uppercased() ? text : nil
    }

    private static func storeID(_ text: String) -> String? {
        let prefix = "amzn1.application-oa2-client."
        let rest = text.utf8.dropFirst(prefix.utf8.count)
        guard text.hasPrefix(prefix), rest.count == 32, rest.allSatisfy({ Hex.value(of: $0) != nil }) else {
            return nil
        }
        return text
    }

    private static func environment(
        _ text: String,
        _ keyID: PublicKeyID?,
        _ problems: inout [String]
    ) -> AmazonPayEnvironment? {
        let named = AmazonPayEnvironment(rawValue: text)
        if named == nil, !text.isEmpty { problems.append("the environment is neither sandbox nor live") }
        guard let keyID else { return named }
        guard let prefixed = keyID.environment else {
            // The vendor's libraries would take live; nobody should charge real cards by leaving a line out.
            if text.isEmpty { problems.append("a key id without a prefix needs the environment spelled out") }
            return named
        }
        if let named, named != prefixed { problems.append("the environment contradicts the prefix of the key id") }
        return prefixed
    }

    private static func key(_ pem: Secret<[UInt8]>, _ problems: inout [String]) -> RSAPrivateKey? {
        do throws(CryptographyError) {
            return try RSAPrivateKey(pem: pem)
        } catch {
            problems.append("the private key cannot be used: \(error.debugDescription)")
            return nil
        }
    }
}
