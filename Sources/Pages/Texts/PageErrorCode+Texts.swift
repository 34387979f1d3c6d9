extension PageErrorCode {
    /// What kind of thing happened, which a page says in its headline.
    enum Family {
        case ended
        case changed
        case busy
        case elsewhere
        case notPaid
        case notAccepted
        case notFound
        case fault

        var japanese: Wording {
            switch self {
            case .ended: "この手続きは終了しました"
            case .changed: "もう一度ご確認ください"
            case .busy: "しばらくお待ちください"
            case .elsewhere: "この画面からは進めません"
            case .notPaid: "お支払いを完了できませんでした"
            case .notAccepted: "受け付けできませんでした"
            case .notFound: "ページが見つかりません"
            case .fault: "エラーが発生しました"
            }
        }

        var english: Wording {
            switch self {
            case .ended: "This checkout has ended"
            case .changed: "Please check again"
            case .busy: "Please wait a moment"
            case .elsewhere: "You cannot continue here"
            case .notPaid: "The payment did not go through"
            case .notAccepted: "This could not be accepted"
            case .notFound: "Page not found"
            case .fault: "Something went wrong"
            }
        }
    }

    /// The family of a code.
    var family: Family {
        switch self {
        case .unknownSession, .expiredSession, .sessionReused, .sessionRevoked, .sessionCancelled: .ended
        case .notPriced, .priceChanged: .changed
        case .rateLimited, .notReady, .purchaseInProgress, .unavailable, .providerFailed, .postageFailed: .busy
        case .wrongBrowser, .cookiesBlocked, .flowMismatch, .orderMismatch, .proofRequired, .proofMismatch: .elsewhere
        case .paymentDeclined: .notPaid
        case .invalidRequest, .quantityInvalid, .csrfRejected, .methodNotAllowed, .payloadTooLarge: .notAccepted
        case .notFound: .notFound
        case .internalError: .fault
        }
    }

    /// What happened, and what to do now, in Japanese.
    var japanese: Wording {
        switch self {
        case .invalidRequest: "送られた内容が正しくありません。お手数ですが、カートからやり直してください。"
        case .quantityInvalid: "数量が正しくありません。0〜99 の数字を入れ、1点以上お選びください。"
        case .rateLimited: "アクセスが集中しています。少し待ってから、もう一度お試しください。"
        case .unknownSession: "この購入手続きは見つかりません。カートからやり直してください。"
        case .expiredSession: "時間が経ったため、この購入手続きは終了しました。カートからやり直してください。"
        case .sessionReused: "このリンクは、すでに一度開かれています。安全のため、カートからやり直してください。"
        case .sessionRevoked: "この購入手続きは終了しています。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。"
        case .sessionCancelled: "この購入手続きは取り消されました。請求は発生していません。"
        case .wrongBrowser: "購入を始めたのとは別のブラウザで開かれています。始めたブラウザでお進みください。"
        case .cookiesBlocked: "このブラウザではCookieが保存されません。別のブラウザでお試しください。"
        case .flowMismatch: "このブラウザでは、新しい購入手続きが始まっています。新しいほうの画面でお進みください。"
        case .orderMismatch: "お支払いの情報がこの注文と一致しません。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。"
        case .csrfRejected: "このページからの送信ではないため、受け付けませんでした。前の画面に戻ってやり直してください。"
        case .proofRequired, .proofMismatch: "購入を始めたアプリまたはブラウザと一致しません。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。"
        case .notPriced: "お届け先と送料がまだ決まっていません。Amazon Pay でお届け先をお選びください。"
        case .priceChanged: "表示された金額が変わりました。ご注文内容の確認ページで、もう一度ご確認ください。"
        case .notReady: "Amazon Pay でのお手続きがまだ終わっていません。しばらくしてから、もう一度お試しください。"
        case .purchaseInProgress: "ご注文を確定しています。しばらくしてから、もう一度お試しください。二重に請求されることはありません。"
        case .paymentDeclined: "お支払いが承認されませんでした。請求は発生していません。別のお支払い方法でお試しください。"
        case .providerFailed: "Amazon Pay の応答を確認できませんでした。しばらくしてから、もう一度お試しください。"
        case .postageFailed: "送料を確認できませんでした。請求は発生していません。しばらくしてから、もう一度お試しください。"
        case .unavailable: "ただいま混み合っています。しばらくしてから、もう一度お試しください。"
        case .notFound: "お探しのページはありません。"
        case .methodNotAllowed: "この操作は受け付けていません。"
        case .payloadTooLarge: "送られた内容が大きすぎます。"
        case .internalError: "お手数ですが、しばらくしてから、もう一度お試しください。"
        }
    }

    /// What happened, and what to do now, in English.
    var english: Wording {
        switch self {
        case .invalidRequest: "What was sent is not valid. Please start again from the cart."
        case .quantityInvalid:
            "The quantity is not valid. Please enter numbers from 0 to 99, and choose at least one article."
        case .rateLimited: "There are too many requests. Please wait a moment and try again."
        case .unknownSession: "This checkout is not known. Please start again from the cart."
        case .expiredSession: "This checkout has run out of time. Please start again from the cart."
        case .sessionReused: "This link has been opened before. For your safety, please start again from the cart."
        case .sessionRevoked:
            "This checkout has ended. If your order was not completed, you are not charged, and you can start again from the cart."
        case .sessionCancelled: "This checkout was cancelled. You have not been charged."
        case .wrongBrowser: "This checkout was started in another browser. Please continue there."
        case .cookiesBlocked: "This browser keeps no cookies. Please try another browser."
        case .flowMismatch: "A newer checkout is open in this browser. Please continue on its page."
        case .orderMismatch:
            "The payment does not belong to this order. If your order was not completed, you are not charged, and you can start again from the cart."
        case .csrfRejected: "This did not come from our own page and was refused. Please go back and try again."
        case .proofRequired, .proofMismatch:
            "This is not the app or browser that started the checkout. If your order was not completed, you are not charged, and you can start again from the cart."
        case .notPriced: "Address and postage are not decided yet. Please choose an address at Amazon Pay."
        case .priceChanged: "The amount has changed. Please check the order page again."
        case .notReady: "Amazon Pay has not finished yet. Please try again in a moment."
        case .purchaseInProgress:
            "Your order is being completed. Please try again in a moment. You will not be charged twice."
        case .paymentDeclined: "The payment was declined. You have not been charged. Please try another payment method."
        case .providerFailed: "Amazon Pay did not answer as expected. Please try again in a moment."
        case .postageFailed:
            "The postage could not be determined. You have not been charged. Please try again in a moment."
        case .unavailable: "The shop is busy right now. Please try again in a moment."
        case .notFound: "There is no such page."
        case .methodNotAllowed: "This is not possible here."
        case .payloadTooLarge: "What was sent is too large."
        case .internalError: "We are sorry. Please try again in a moment."
        }
    }
}
