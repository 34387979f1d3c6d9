import HTTPCore
package import Web

/// The codes of the checkout's HTTP contract, docs/contract.md: in JSON as `error`, in pages as `data-error`.
extension FailureCode {
    /// Every code that the checkout refuses with.
    package static let ofCheckout: [FailureCode] = [
        .invalidRequest, .quantityInvalid, .rateLimited, .unknownSession, .expiredSession, .sessionReused,
        .sessionRevoked, .sessionCanceled, .wrongBrowser, .cookiesBlocked, .webviewSessionMismatch, .orderMismatch,
        .csrfRejected, .proofRequired, .proofMismatch, .notPriced, .addressNotPriced, .priceChanged, .notReady,
        .purchaseInProgress, .paymentDeclined, .providerFailed, .postageFailed, .unavailable, .notFound,
        .methodNotAllowed,
        .payloadTooLarge, .internalError,
    ]

    /// A quantity is no number from 0 to 99, or nothing was chosen.
    package static let quantityInvalid = FailureCode(
        "quantity_invalid",
        .badRequest,
        "Quantities are whole numbers from 0 to 99, and at least one is positive.",
        page: .notAccepted(
            "数量が正しくありません。0〜99 の数字を入れ、1点以上お選びください。",
            "The quantity is not valid. Please enter numbers from 0 to 99, and choose at least one article."
        )
    )
    /// The ticket is not known.
    package static let unknownSession = FailureCode(
        "unknown_session",
        .notFound,
        "No such session.",
        page: .ended(
            "この購入手続きは見つかりません。ご注文がお済みの場合、これ以上のお手続きは必要ありません。まだご注文でない場合は、カートからやり直してください。",
            "This checkout is not known. If you have ordered already, there is nothing more to do. If you have not, please start again from the cart."
        )
    )
    /// The ticket or the webview session is too old.
    package static let expiredSession = FailureCode(
        "expired_session",
        .gone,
        "The session has expired. Start again in the app.",
        page: .ended(
            "時間が経ったため、この購入手続きは終了しました。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。",
            "This checkout has run out of time. If your order was not completed, you are not charged, and you can start again from the cart."
        )
    )
    /// The ticket was opened before.
    package static let sessionReused = FailureCode(
        "session_reused",
        .conflict,
        "The ticket was used before.",
        page: .ended(
            "このリンクは、すでに一度開かれています。ご注文がお済みの場合、これ以上のお手続きは必要ありません。まだご注文でない場合は、安全のため、カートからやり直してください。",
            "This link has been opened before. If you have ordered already, there is nothing more to do. If you have not, please start again from the cart, for your safety."
        )
    )
    /// The webview session was closed for safety.
    package static let sessionRevoked = FailureCode(
        "session_revoked",
        .gone,
        "The session has ended. Start again in the app.",
        page: .ended(
            "この購入手続きは終了しています。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。",
            "This checkout has ended. If your order was not completed, you are not charged, and you can start again from the cart."
        )
    )
    /// The webview session was cancelled by the buyer.
    package static let sessionCanceled = FailureCode(
        "session_canceled",
        .gone,
        "The checkout was cancelled. Start again in the app.",
        page: .ended(
            "この購入手続きは取り消されました。請求は発生していません。",
            "This checkout was cancelled. You have not been charged."
        )
    )
    /// Another browser asked for this ticket.
    package static let wrongBrowser = FailureCode(
        "wrong_browser",
        .forbidden,
        "The ticket opens only in the browser that requested it.",
        page: .elsewhere(
            "購入を始めたのとは別のブラウザで開かれています。始めたブラウザでお進みください。",
            "This checkout was started in another browser. Please continue there."
        )
    )
    /// The browser keeps no cookies.
    package static let cookiesBlocked = FailureCode(
        "cookies_blocked",
        .forbidden,
        "This browser keeps no cookies.",
        page: .elsewhere(
            "このブラウザではCookieが保存されません。別のブラウザでお試しください。",
            "This browser keeps no cookies. Please try another browser."
        )
    )
    /// The page belongs to another webview session than the tab.
    package static let webviewSessionMismatch = FailureCode(
        "session_mismatch",
        .conflict,
        "The page and the tab belong to different checkouts.",
        page: .elsewhere(
            "このブラウザでは、新しい購入手続きが始まっています。新しいほうの画面でお進みください。",
            "A newer checkout is open in this browser. Please continue on its page."
        )
    )
    /// The checkout session belongs to another webview session.
    package static let orderMismatch = FailureCode(
        "order_mismatch",
        .unprocessable,
        "The checkout session or order reference is not the one of this session.",
        isOurs: true,
        page: .elsewhere(
            "お支払いの情報がこの注文と一致しません。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。",
            "The payment does not belong to this order. If your order was not completed, you are not charged, and you can start again from the cart."
        )
    )
    /// The app's proof is missing.
    package static let proofRequired = FailureCode(
        "proof_required",
        .forbidden,
        "The proof that this app or browser started the session is missing.",
        page: .foreignProof
    )
    /// The app's proof is another one.
    package static let proofMismatch = FailureCode(
        "proof_mismatch",
        .forbidden,
        "The proof is missing, or belongs to another session, app or browser.",
        isOurs: true,
        page: .foreignProof
    )
    /// Address and total are not known yet.
    package static let notPriced = FailureCode(
        "not_priced",
        .conflict,
        "The order has no total yet. Choose an address first.",
        page: .changed(
            "お届け先と送料がまだ決まっていません。Amazon Pay でお届け先をお選びください。",
            "Address and shipping cost are not decided yet. Please choose an address at Amazon Pay."
        )
    )
    /// There is no shipping cost to the address that was chosen.
    package static let addressNotPriced = FailureCode(
        "address_not_priced",
        .conflict,
        "There is no shipping cost to the chosen address. Choose another address.",
        page: .changed(
            "選ばれたお届け先への送料を計算できません。請求は発生していません。都道府県と郵便番号が正しいお届け先を Amazon Pay でお選びください。",
            "There is no shipping cost to the chosen address. You have not been charged. Please choose an address with the right prefecture and postal code at Amazon Pay."
        )
    )
    /// The total is another one than was shown.
    package static let priceChanged = FailureCode(
        "price_changed",
        .conflict,
        "The total has changed since it was shown.",
        page: .changed(
            "表示された金額が変わりました。ご注文内容の確認ページで、もう一度ご確認ください。",
            "The amount has changed. Please check the order page again."
        )
    )
    /// The provider has not finished yet.
    package static let notReady = FailureCode(
        "not_ready",
        .conflict,
        "The buyer has not finished at the payment provider. Try again later.",
        retryAfter: 2,
        page: .busy(
            "Amazon Pay でのお手続きがまだ終わっていません。しばらくしてから、もう一度お試しください。",
            "Amazon Pay has not finished yet. Please try again in a moment."
        )
    )
    /// The purchase is being completed.
    package static let purchaseInProgress = FailureCode(
        "purchase_in_progress",
        .conflict,
        "The payment is being completed. Repeat the request.",
        retryAfter: 2,
        page: .busy(
            "ご注文を確定しています。しばらくしてから、もう一度お試しください。二重に請求されることはありません。",
            "Your order is being completed. Please try again in a moment. You will not be charged twice."
        )
    )
    /// The provider declined the payment.
    package static let paymentDeclined = FailureCode(
        "payment_declined",
        .paymentRequired,
        "The payment was declined.",
        page: .notPaid(
            "お支払いが承認されませんでした。請求は発生していません。別のお支払い方法でお試しください。",
            "The payment was declined. You have not been charged. Please try another payment method."
        )
    )
    /// The provider did not answer as expected.
    package static let providerFailed = FailureCode(
        "provider_failed",
        .serviceUnavailable,
        "The call to the payment provider failed. Nothing was charged; try again.",
        retryAfter: 5,
        isOurs: true,
        page: .busy(
            "Amazon Pay の応答を確認できませんでした。しばらくしてから、もう一度お試しください。",
            "Amazon Pay did not answer as expected. Please try again in a moment."
        )
    )
    /// The shop's server did not say what sending the order costs.
    package static let postageFailed = FailureCode(
        "postage_failed",
        .serviceUnavailable,
        "The shop did not return the shipping cost. Nothing was charged; try again.",
        retryAfter: 5,
        isOurs: true,
        page: .busy(
            "送料を確認できませんでした。請求は発生していません。しばらくしてから、もう一度お試しください。",
            "The shipping cost could not be determined. You have not been charged. Please try again in a moment."
        )
    )
}

// Codes of one kind share a headline.
extension FailureNotice {
    fileprivate static let foreignProof = FailureNotice.elsewhere(
        "購入を始めたアプリまたはブラウザと一致しません。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。",
        "This is not the app or browser that started the checkout. If your order was not completed, you are not charged, and you can start again from the cart."
    )

    fileprivate static func ended(_ japanese: String, _ english: String) -> FailureNotice {
        FailureNotice(
            headline: Localized("この手続きは終了しました", "This checkout has ended"),
            detail: Localized(japanese, english)
        )
    }

    fileprivate static func changed(_ japanese: String, _ english: String) -> FailureNotice {
        FailureNotice(
            headline: Localized("もう一度ご確認ください", "Please check again"),
            detail: Localized(japanese, english)
        )
    }

    fileprivate static func busy(_ japanese: String, _ english: String) -> FailureNotice {
        FailureNotice(
            headline: Localized("しばらくお待ちください", "Please wait a moment"),
            detail: Localized(japanese, english)
        )
    }

    fileprivate static func elsewhere(_ japanese: String, _ english: String) -> FailureNotice {
        FailureNotice(
            headline: Localized("この画面からは進めません", "You cannot continue here"),
            detail: Localized(japanese, english)
        )
    }

    fileprivate static func notPaid(_ japanese: String, _ english: String) -> FailureNotice {
        FailureNotice(
            headline: Localized("お支払いを完了できませんでした", "The payment did not go through"),
            detail: Localized(japanese, english)
        )
    }

    fileprivate static func notAccepted(_ japanese: String, _ english: String) -> FailureNotice {
        FailureNotice(
            headline: Localized("受け付けできませんでした", "This could not be accepted"),
            detail: Localized(japanese, english)
        )
    }

    fileprivate static func fault(_ japanese: String, _ english: String) -> FailureNotice {
        FailureNotice(
            headline: Localized("エラーが発生しました", "Something went wrong"),
            detail: Localized(japanese, english)
        )
    }
}
