import CheckoutCodes
import HTTPCore
package import Web

// The codes of routes about orders and payments. Those of the checkout that merchants' programs meet as well are declared there.
extension FailureCode {
    // MARK: Of sessions

    /// Of an amount in the content.
    package static let invalidAmount = FailureCode(
        "invalid_amount",
        .badRequest,
        "An amount has to be a decimal text that is valid for the order."
    )
    /// Of an amount or an order.
    package static let currencyNotSupported = FailureCode(
        "currency_not_supported",
        .unprocessable,
        "This account does not charge in this currency."
    )
    /// Of an order line.
    package static let sumMismatch = FailureCode(
        "sum_mismatch",
        .unprocessable,
        "The sum of a line is not unit price times quantity."
    )
    /// Of an address or link that leads the buyer back.
    package static let returnURLNotAllowed = FailureCode(
        "return_url_not_allowed",
        .unprocessable,
        "The origin of the address is not in the settings of this service."
    )
    /// Of an address that is asked for the postage.
    package static let postageCallbackNotAllowed = FailureCode(
        "postage_callback_not_allowed",
        .unprocessable,
        "The shipping cost is not requested at this address: its origin is not in the settings."
    )
    /// Of an app or browser that opens too many.
    package static let tooManyWebviewSessions = FailureCode(
        "too_many_sessions",
        .tooManyRequests,
        "Too many sessions are open. Try again later.",
        retryAfter: 60
    )
    /// Of a new session; `sessionId` names the other.
    package static let referenceHeld = FailureCode(
        "reference_held",
        .conflict,
        "Another session of this reference is open or paid."
    )
    /// Of a session that was declined, cancelled, expired or closed.
    package static let sessionOver = FailureCode("session_over", .gone, "The session has ended without a payment.")
    /// Of a session that is to be cancelled.
    package static let alreadyPaid = FailureCode(
        "already_paid",
        .conflict,
        "The session is paid: refund it, or cancel its charge."
    )
    /// Of a question for buyer and address.
    package static let buyerUnavailable = FailureCode(
        "buyer_unavailable",
        .gone,
        "The payment provider no longer has the buyer and the address: it keeps them for 30 days."
    )

    // MARK: Of payments

    /// Of a session, charge or permission.
    package static let wrongState = FailureCode(
        "wrong_state",
        .conflict,
        "The state of the object does not allow the operation."
    )
    /// Of a permission that is to be closed or charged again.
    package static let openCharges = FailureCode(
        "open_charges",
        .conflict,
        "Charges are not final: capture or cancel them, or close with cancelPendingCharges."
    )
    /// Of a charge or permission; `operation` names what holds it.
    package static let chargeBlocked = FailureCode(
        "charge_blocked",
        .conflict,
        "The outcome of another operation on this payment is unknown, and an operator of Sallyport has to decide about it first."
    )
    /// Of a charge, capture or refund.
    package static let amountExceeds = FailureCode(
        "amount_exceeds",
        .unprocessable,
        "The amount is more than the remaining sum."
    )
    /// Of a permission.
    package static let tooManyCharges = FailureCode(
        "too_many_charges",
        .unprocessable,
        "A permission can be charged 25 times."
    )
    /// Of a payment; `provider` says why.
    package static let providerRefused = FailureCode(
        "provider_refused",
        .unprocessable,
        "The payment provider refused the operation."
    )
}
