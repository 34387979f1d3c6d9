package import Cryptography
package import JOSE
package import Primitives
import StrictJSON

/// An offer as a signed text, which newer systems take.
package enum SignedOffer: Sendable, Hashable {
    /// An offer to one who has subscribed before.
    case promotional(productID: String, offerID: String, transactionID: String?)
    /// Whether a customer may have the introductory offer, whatever Apple knows.
    case introductory(productID: String, isAllowed: Bool, transactionID: String)
    /// A request to Advanced Commerce, in JSON.
    case advancedCommerce(request: [UInt8])

    fileprivate var audience: String {
        switch self {
        case .promotional: "promotional-offer"
        case .introductory: "introductory-offer-eligibility"
        case .advancedCommerce: "advanced-commerce-api"
        }
    }

    fileprivate var claims: [JSONMember] {
        switch self {
        case .promotional(let productID, let offerID, let transactionID):
            [JSONMember("productId", .string(productID)), JSONMember("offerIdentifier", .string(offerID))]
                + (transactionID.map { [JSONMember("transactionId", .string($0))] } ?? [])
        case .introductory(let productID, let isAllowed, let transactionID):
            [
                JSONMember("productId", .string(productID)), JSONMember("allowIntroductoryOffer", .bool(isAllowed)),
                JSONMember("transactionId", .string(transactionID)),
            ]
        case .advancedCommerce(let request): [JSONMember("request", .string(Base64.encode(request)))]
        }
    }
}

/// Signs offers as texts.
package struct OfferTokenSigner: Sendable {
    private let signer: JWTSigner
    private let issuerID: String
    private let bundleID: String

    /// A signer with the key of an account.
    ///
    /// - Parameter signer: Names the key.
    package init(signer: JWTSigner, issuerID: String, bundleID: String) {
        self.signer = signer
        self.issuerID = issuerID
        self.bundleID = bundleID
    }

    /// The signed text of an offer.
    ///
    /// - Parameter nonce: A fresh one.
    /// - Throws: `failed` where OpenSSL refuses.
    package func sign(_ offer: SignedOffer, nonce: UUIDBytes, at now: WallTime) throws(CryptographyError) -> String {
        let common = [
            JSONMember("bid", .string(bundleID)), JSONMember("iss", .string(issuerID)),
            JSONMember("aud", .string(offer.audience)), JSONMember("iat", JSONValue(Int(now.seconds))),
            JSONMember("nonce", .string(nonce.description)),
        ]
        return try signer.sign(claims: .object(offer.claims + common))
    }
}
