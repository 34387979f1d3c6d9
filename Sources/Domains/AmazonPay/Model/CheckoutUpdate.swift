package import Commerce

/// What an update sets on an open session before the buyer is sent to be processed.
///
/// By default the amount is held, and a pending authorisation is not accepted: the outcome of complete is final.
package struct CheckoutUpdate: Sendable, Hashable {
    /// Where Amazon sends the buyer afterwards; https, at most 512 characters, no fragment.
    package var resultURL: String
    /// What the buyer is to pay, and how.
    package var payment: PaymentDetails
    /// Our own marks.
    package var metadata: MerchantMetadata

    /// An update to a payment of any kind.
    ///
    /// - Parameters:
    ///   - resultURL: https, at most 512 characters, no fragment.
    ///   - payment: What the buyer is to pay, and how.
    package init(resultURL: String, payment: PaymentDetails, metadata: MerchantMetadata) {
        self.resultURL = resultURL
        self.payment = payment
        self.metadata = metadata
    }

    /// An update to an amount of yen that is held.
    ///
    /// - Parameters:
    ///   - resultURL: https, at most 512 characters, no fragment.
    package init(resultURL: String, amount: Yen, metadata: MerchantMetadata) {
        self.init(resultURL: resultURL, payment: PaymentDetails(amount: Money(amount)), metadata: metadata)
    }

    /// The body of the call; the same for the same value.
    package var json: [UInt8] {
        WireJSON.octets(
            Wire(
                webCheckoutDetails: Wire.Web(checkoutResultReturnUrl: resultURL),
                paymentDetails: payment,
                merchantMetadata: metadata
            )
        )
    }

    private struct Wire: Encodable {
        struct Web: Encodable {
            let checkoutResultReturnUrl: String
        }

        let webCheckoutDetails: Web
        let paymentDetails: PaymentDetails
        let merchantMetadata: MerchantMetadata
    }
}

/// The call that makes a charge real.
package struct CheckoutCompletion: Sendable, Hashable {
    /// What the buyer pays; must be what the session holds.
    package let amount: Money
    /// The whole order; must be what the session holds, and is left out where it holds none.
    package let totalOrderAmount: Money?

    /// A completion.
    ///
    /// - Parameters:
    ///   - totalOrderAmount: The whole order, where the session holds it.
    package init(amount: Money, totalOrderAmount: Money? = nil) {
        self.amount = amount
        self.totalOrderAmount = totalOrderAmount
    }

    /// The body of the call; the same for the same value.
    package var json: [UInt8] {
        WireJSON.octets(Wire(chargeAmount: Price(amount), totalOrderAmount: totalOrderAmount.map { Price($0) }))
    }

    private struct Wire: Encodable {
        let chargeAmount: Price
        let totalOrderAmount: Price?
    }
}
