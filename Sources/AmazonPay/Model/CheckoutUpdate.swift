package import Commerce

/// What an update sets on an open session before the buyer is sent to be processed.
///
/// The intent is `Authorize` and a pending authorisation is not accepted: the outcome of complete is final.
package struct CheckoutUpdate: Sendable, Hashable {
    /// Where Amazon sends the buyer afterwards; https, at most 512 characters, no fragment.
    package var resultURL: String
    /// What the buyer is to pay.
    package var amount: Yen
    /// Our own marks.
    package var metadata: MerchantMetadata

    /// An update.
    ///
    /// - Parameters:
    ///   - resultURL: https, at most 512 characters, no fragment.
    ///   - amount: What the buyer is to pay.
    ///   - metadata: Our own marks.
    package init(resultURL: String, amount: Yen, metadata: MerchantMetadata) {
        self.resultURL = resultURL
        self.amount = amount
        self.metadata = metadata
    }

    /// The body of the call; the same for the same value.
    package var json: [UInt8] {
        WireJSON.octets(
            Wire(
                webCheckoutDetails: Wire.Web(checkoutResultReturnUrl: resultURL),
                paymentDetails: Wire.Payment(chargeAmount: Price(amount)),
                merchantMetadata: metadata
            )
        )
    }

    private struct Wire: Encodable {
        struct Web: Encodable {
            let checkoutResultReturnUrl: String
        }

        struct Payment: Encodable {
            var paymentIntent = "Authorize"
            var canHandlePendingAuthorization = false
            let chargeAmount: Price
        }

        let webCheckoutDetails: Web
        let paymentDetails: Payment
        let merchantMetadata: MerchantMetadata
    }
}

/// The call that makes a charge real.
package struct CheckoutCompletion: Sendable, Hashable {
    /// What the buyer pays; must be what the session holds.
    package let amount: Money

    /// A completion.
    ///
    /// - Parameter amount: What the buyer pays.
    package init(amount: Money) {
        self.amount = amount
    }

    /// The body of the call; the same for the same value.
    package var json: [UInt8] { WireJSON.octets(Wire(chargeAmount: Price(amount))) }

    private struct Wire: Encodable {
        let chargeAmount: Price
    }
}
