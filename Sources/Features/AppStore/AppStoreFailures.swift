import AppStoreTransactions
import HTTPCore
import ServiceAPI
import StrictJSON
import Web

extension FailureCode {
    /// A text that Apple has not signed, or not for this app.
    static let signedTextRefused = FailureCode(
        "signed_text_refused",
        .unprocessable,
        "The signed text is not taken; `reason` says why."
    )
    /// A purchase that is another account's: by its token, or because that one has shown it first.
    static let purchaseOfOtherAccount = FailureCode(
        "purchase_of_other_account",
        .conflict,
        "The purchase belongs to another account."
    )
    /// A purchase that was refunded, or taken out of a family.
    static let purchaseRevoked = FailureCode(
        "purchase_revoked",
        .gone,
        "The purchase was refunded or revoked; nothing is granted for it."
    )
    /// A purchase with a token that no account has.
    static let purchaseTokenUnknown = FailureCode(
        "purchase_token_unknown",
        .conflict,
        "The purchase has an appAccountToken that no account has. Give it to the account, then send the purchase again."
    )
    /// A product that the merchant does not sell.
    static let productUnknown = FailureCode(
        "product_unknown",
        .conflict,
        "The product is not in the merchant's table. The purchase is kept; send it again later."
    )
    /// A consumable that somebody else has bought.
    static let purchaseNotGranted = FailureCode(
        "purchase_not_granted",
        .conflict,
        "Consumables are granted to whoever bought them, and to nobody else."
    )
    /// Less than is to be spent.
    static let unitsTooFew = FailureCode("units_too_few", .conflict, "The account has fewer units than that.")
    /// More than a ledger holds.
    static let unitsOutOfRange = FailureCode(
        "units_out_of_range",
        .conflict,
        "The account would have more than 1000000000000 units, or less than as many below zero."
    )
    /// A token that another account has.
    static let appAccountTokenTaken = FailureCode(
        "app_account_token_taken",
        .conflict,
        "Another account has this appAccountToken."
    )
    /// A purchase that Apple binds to no account.
    static let appAccountTokenRefused = FailureCode(
        "app_account_token_refused",
        .conflict,
        "Apple takes no appAccountToken for this purchase: it was shared in a family, or given by an organisation."
    )
    /// An environment whose purchases are not taken.
    static let environmentOff = FailureCode(
        "environment_off",
        .unprocessable,
        "Purchases of this environment are not taken here."
    )

    /// An id that Apple's server does not know.
    static let transactionUnknown = FailureCode(
        "transaction_unknown",
        .notFound,
        "Apple's server knows no such transaction of this app."
    )
    /// A purchase that names nobody, of which an app shows the id alone.
    static let signedTextNeeded = FailureCode(
        "signed_text_needed",
        .conflict,
        "The purchase has no appAccountToken: an app has to show its signed text, not its id."
    )
    /// A receipt out of which no id of a purchase can be taken.
    static let receiptUnreadable = FailureCode(
        "receipt_unreadable",
        .unprocessable,
        "The receipt has no purchase, or cannot be read."
    )
    /// Apple's server could not be asked now.
    static let appStoreUnavailable = FailureCode(
        "app_store_unavailable",
        .serviceUnavailable,
        "Apple's server could not be asked. Try again, and do not finish the transaction.",
        retryAfter: 30
    )
    /// Apple's server is asked for something, and the settings have no key for it.
    static let appStoreOff = FailureCode(
        "app_store_off",
        .conflict,
        "Apple's server is not asked here: app_store.private_key is not set. Send the signed text itself."
    )

    static let ofAppStore = [
        signedTextRefused, purchaseOfOtherAccount, purchaseRevoked, purchaseTokenUnknown, productUnknown,
        purchaseNotGranted, unitsTooFew, unitsOutOfRange, appAccountTokenTaken, appAccountTokenRefused,
        environmentOff, notificationRefused,
        transactionUnknown, appStoreUnavailable, appStoreOff, signedTextNeeded, offerNotListed, offersOff,
        receiptUnreadable,
    ]
}

/// What a problem says beside the rest to an app whose purchase was not granted.
struct SubmissionContext: ProblemContext {
    /// Why the text was refused.
    var reason: String?
    /// Whether the app has nothing more to wait for, so that it finishes the transaction.
    let finish: Bool

    var members: [JSONMember] {
        (reason.map { [JSONMember("reason", .string($0))] } ?? []) + [JSONMember("finish", .bool(finish))]
    }
}

extension Failure {
    /// The answer to a text that was refused.
    ///
    /// A text of another app is never this app's to grant; any other may be mended, so the app keeps it.
    init(_ refusal: SignedTextRefusal) {
        if case .misconfigured = refusal {
            self.init(.internalError, "app_store: \(refusal)")
            return
        }
        if refusal.isRetryable {
            self.init(.appStoreUnavailable, "\(refusal)", context: SubmissionContext(finish: false))
            return
        }
        var isForeign = false
        if case .wrongApp = refusal { isForeign = true }
        self.init(
            .signedTextRefused,
            "\(refusal)",
            context: SubmissionContext(reason: refusal.code, finish: isForeign)
        )
    }
}
