// Why an object is in its state. The vendor's pages on charges, charge permissions and refunds.

extension ReasonCode {
    // MARK: Of a charge

    /// Of a cancelled charge: nobody took the money in 30 days.
    package static let expiredUnused: ReasonCode = "ExpiredUnused"
    /// Of a cancelled charge or a closed permission: the merchant gave it up.
    package static let merchantCanceled: ReasonCode = "MerchantCanceled"
    /// Of a cancelled charge: its permission was closed.
    package static let chargePermissionCanceled: ReasonCode = "ChargePermissionCanceled"

    // MARK: Of a permission that may not be charged for now

    /// The card does not work.
    package static let paymentMethodInvalid: ReasonCode = "PaymentMethodInvalid"
    /// The buyer removed the card.
    package static let paymentMethodDeleted: ReasonCode = "PaymentMethodDeleted"
    /// The buyer removed the address of the invoice.
    package static let billingAddressDeleted: ReasonCode = "BillingAddressDeleted"
    /// The card is past its date.
    package static let paymentMethodExpired: ReasonCode = "PaymentMethodExpired"
    /// There is no card.
    package static let paymentMethodNotSet: ReasonCode = "PaymentMethodNotSet"
    /// One charge is not final yet.
    package static let chargeInProgress: ReasonCode = "ChargeInProgress"
    /// The buyer failed an identity check.
    package static let mfaFailed: ReasonCode = "MFAFailed"

    // MARK: Of a closed permission

    /// The merchant closed it.
    package static let merchantClosed: ReasonCode = "MerchantClosed"
    /// The buyer closed it.
    package static let buyerClosed: ReasonCode = "BuyerClosed"
    /// Amazon closed it.
    package static let amazonClosed: ReasonCode = "AmazonClosed"
}
