package import Commerce
import ServiceAPI
package import StrictJSON

/// What an app hands to the provider's library, so that it starts the checkout.
///
/// None of it is secret, also in a copy: the signature only says that the payload is the merchant's.
package struct MobileLaunch: Sendable {
    /// A payload and its signature.
    package struct Signed: Sendable {
        /// The very text that was signed.
        package let payload: String
        /// Standard Base64.
        package let signature: String
        /// The label.
        package let algorithm: String

        /// A payload and its signature.
        ///
        /// - Parameters:
        ///   - signature: Standard Base64.
        package init(payload: String, signature: String, algorithm: String) {
            self.payload = payload
            self.signature = signature
            self.algorithm = algorithm
        }
    }

    private let merchantID: String
    private let publicKeyID: String
    private let ledgerCurrency: Currency
    private let hasDelivery: Bool
    private let isSandbox: Bool
    private let signed: Signed

    /// What an app hands to the library.
    ///
    /// - Parameters:
    ///   - hasDelivery: Whether the payload holds an address to send to.
    ///   - isSandbox: Whether no money moves.
    package init(
        merchantID: String,
        publicKeyID: String,
        ledgerCurrency: Currency,
        hasDelivery: Bool,
        isSandbox: Bool,
        signed: Signed
    ) {
        self.merchantID = merchantID
        self.publicKeyID = publicKeyID
        self.ledgerCurrency = ledgerCurrency
        self.hasDelivery = hasDelivery
        self.isSandbox = isSandbox
        self.signed = signed
    }

    /// The member `mobile` of `launch`.
    package var json: JSONValue {
        [
            "merchantId": .string(merchantID), "publicKeyId": .string(publicKeyID),
            "ledgerCurrency": .string(ledgerCurrency.rawValue),
            "productType": .string(hasDelivery ? "PayAndShip" : "PayOnly"), "sandbox": .bool(isSandbox),
            "payloadJSON": .string(signed.payload), "signature": .string(signed.signature),
            "algorithm": .string(signed.algorithm),
        ]
    }

    /// The shape of the member.
    static let schema = Schema.object([
        .required("merchantId", .text(1...20)), .required("publicKeyId", .text(1...60)),
        .required("ledgerCurrency", .word([Currency.jpy.rawValue])),
        .required("productType", .word(["PayAndShip", "PayOnly"])), .required("sandbox", .flag),
        .required("payloadJSON", .text(1...8_192), "the text that is signed: pass it to the library unchanged"),
        .required("signature", .text(1...1_024)), .required("algorithm", .text(1...40)),
    ])
}
