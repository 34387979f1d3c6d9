import CheckoutCodes
import SessionBroker
import Web

/// What has become of a buyer's order, as far as a refusal knows it.
enum OrderProgress: Sendable, CaseIterable {
    /// Not known, or not for this client to know.
    case unknown
    /// Nothing is agreed to.
    case open
    /// Agreed to, and with the provider, or on the way back from it.
    case placed
    /// Being completed.
    case pending
    /// Completed.
    case paid
    /// The provider declined the payment.
    case declined
    /// Over without a purchase.
    case over

    /// The progress of an order in a state of its webview session.
    init(_ state: WebviewSessionState) {
        switch state {
        case .issued, .opened, .reviewed: self = .open
        case .placed: self = .placed
        case .purchasing: self = .pending
        case .authorized: self = .paid
        case .declined: self = .declined
        case .revoked, .expired, .canceled: self = .over
        }
    }

    /// What a code says by itself.
    init(impliedBy code: FailureCode) {
        switch code {
        case .purchaseInProgress: self = .pending
        case .paymentDeclined: self = .declined
        case .expiredSession, .sessionRevoked, .sessionCanceled: self = .over
        default: self = .unknown
        }
    }

    /// Whether the buyer has done their part: then nothing may lead to a second order.
    var isOrdered: Bool {
        switch self {
        case .placed, .pending, .paid: true
        case .unknown, .open, .declined, .over: false
        }
    }
}

/// What the page of a refusal says and offers first.
struct RefusalText: Sendable {
    /// The first control of the page.
    enum Control: Sendable, Equatable {
        /// None but the way back.
        case none
        /// The confirm page again.
        case confirm
        /// The button page again.
        case button
        /// The button page, to choose another address.
        case address
        /// The result page, which says how things stand; for the tab of the order.
        case result
        /// The receipt; for the jar that holds its ticket.
        case receipt
    }

    let notice: FailureNotice
    let control: Control

    init(_ notice: FailureNotice, _ control: Control = .none) {
        self.notice = notice
        self.control = control
    }
}

/// The texts of refusals: by what has become of the order, and only then by the rule that refused.
enum RefusalTable {
    /// The cell of a code and a progress.
    static func text(of code: FailureCode, _ progress: OrderProgress) -> RefusalText {
        switch progress {
        case .paid: RefusalText(.paid, .receipt)
        case .pending: RefusalText(.pending, .result)
        case .placed: RefusalText(.placed, .result)
        case .declined: RefusalText(FailureCode.paymentDeclined.notice, .button)
        case .over: RefusalText(over(code))
        case .open: RefusalText(code == .sessionReused ? .openElsewhere : code.notice, control(code))
        case .unknown: RefusalText(code.notice, control(code))
        }
    }

    private static func over(_ code: FailureCode) -> FailureNotice {
        switch code {
        case .sessionReused: .endedForSafety
        case .expiredSession, .sessionCanceled: code.notice
        default: FailureCode.sessionRevoked.notice
        }
    }

    private static func control(_ code: FailureCode) -> RefusalText.Control {
        switch code {
        case .providerFailed, .priceChanged, .notReady, .purchaseInProgress: .confirm
        case .addressNotPriced: .address
        case .notPriced, .postageFailed, .orderMismatch: .button
        default: .none
        }
    }
}

extension FailureNotice {
    fileprivate static let paid = FailureNotice(
        headline: Localized("ご注文は完了しています", "Your order is complete"),
        detail: Localized(
            "ご注文とお支払いは、すでに承っています。もう一度ご注文いただく必要はありません。",
            "We have your order and your payment. There is nothing more to do, and no need to order again."
        )
    )

    fileprivate static let pending = FailureNotice(
        headline: Localized("ご注文を確定しています", "Your order is being completed"),
        detail: Localized(
            "お支払いの確認が終わるまで、しばらくお待ちください。二重に請求されることはありません。もう一度ご注文いただく必要はありません。",
            "Please wait until the payment is confirmed. You will not be charged twice, and there is no need to order again."
        )
    )

    fileprivate static let placed = FailureNotice(
        headline: Localized("ご注文の手続きが進んでいます", "Your order is under way"),
        detail: Localized(
            "お支払いの手続きは Amazon Pay まで進んでいます。手続き中の画面またはアプリに戻って、ご注文を確定してください。二重に請求されることはありません。",
            "You have agreed to this order, and it is with Amazon Pay. Go back to the page or the app in which you were, and complete it there. You will not be charged twice."
        )
    )

    fileprivate static let openElsewhere = FailureNotice(
        headline: Localized("この画面からは進めません", "You cannot continue here"),
        detail: Localized(
            "このリンクは、すでに開かれています。先に開いた画面でお進みください。",
            "This link is open already. Please go on in the page that was opened first."
        )
    )

    fileprivate static let endedForSafety = FailureNotice(
        headline: Localized("この手続きは終了しました", "This checkout has ended"),
        detail: Localized(
            "このリンクは二度開かれたため、安全のため手続きを終了しました。請求は発生していません。お手数ですが、カートからやり直してください。",
            "This link was opened twice, so the checkout was ended for your safety. You have not been charged. Please start again from the cart."
        )
    )
}
