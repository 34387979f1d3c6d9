import SimulatorCore

/// Why a hosted page cannot be shown, in the code that stands on the error page.
struct HostedError: Error, Sendable, Equatable {
    enum Code: String, Sendable, CaseIterable {
        case invalidSignature = "InvalidSignatureError"
        case unknownMerchant = "UnknownMerchant"
        case unknownKey = "UnknownPublicKey"
        case invalidAccountStatus = "InvalidAccountStatus"
        case domainNotAllowed = "DomainNotAllowed"
        case invalidRequest = "InvalidRequest"
        case invalidRequestFormat = "InvalidRequestFormat"
        case unrecognizedField = "UnrecognizedField"
        case invalidParameterValue = "InvalidParameterValue"
        case missingParameterValue = "MissingParameterValue"
        case invalidParameterCombination = "InvalidParameterCombination"
        case currencyMismatch = "CurrencyMismatch"
        case visitNotFound = "VisitNotFound"
        case anotherCheckout = "AnotherCheckoutStarted"
        case anotherBuyer = "AnotherBuyer"
        case sessionNotFound = "CheckoutSessionNotFound"
        case sessionNotReady = "CheckoutSessionNotReady"
        case sessionCanceled = "CheckoutSessionCanceled"
        case sessionExpired = "CheckoutSessionExpired"
        case alreadyProcessed = "CheckoutSessionAlreadyProcessed"
        case pageNotFound = "PageNotFound"
        case methodNotAllowed = "MethodNotAllowed"
        case unavailable = "ServiceUnavailable"

        var status: Int {
            switch self {
            case .invalidSignature, .unknownMerchant, .unknownKey, .invalidAccountStatus, .domainNotAllowed,
                .invalidRequest, .invalidRequestFormat, .unrecognizedField, .invalidParameterValue,
                .missingParameterValue, .invalidParameterCombination, .currencyMismatch, .visitNotFound:
                400
            case .anotherBuyer: 403
            case .sessionNotFound, .pageNotFound: 404
            case .methodNotAllowed: 405
            case .anotherCheckout, .sessionNotReady, .sessionCanceled, .alreadyProcessed: 409
            case .sessionExpired: 410
            case .unavailable: 503
            }
        }

        func title(_ language: HostedLanguage) -> String {
            switch self {
            case .visitNotFound:
                language.text(
                    "お手続きが見つかりません。ストアからやり直してください。",
                    "No checkout is under way in this browser. Start again at the store."
                )
            case .anotherCheckout:
                language.text("このブラウザーで別のお手続きが始まりました。", "Another checkout has been started in this browser.")
            case .anotherBuyer:
                language.text("別の購入者のお手続きです。", "This checkout belongs to another buyer.")
            case .sessionNotFound: language.text("お手続きが見つかりません。", "The checkout is unknown.")
            case .sessionNotReady: language.text("金額などがまだ設定されていません。", "The merchant has not set everything yet.")
            case .sessionCanceled: language.text("お手続きはキャンセルされました。", "The checkout was canceled.")
            case .sessionExpired: language.text("お手続きの有効期限が切れました。", "The checkout has expired.")
            case .alreadyProcessed: language.text("お手続きは処理済みです。", "The checkout has been processed already.")
            case .pageNotFound: language.text("ページが見つかりません。", "There is no such page.")
            case .unavailable: language.text("ただいまご利用いただけません。", "The service is unavailable.")
            default:
                language.text("ストアからの要求に誤りがあります。", "The request of the store is not valid.")
            }
        }
    }

    let code: Code
    /// Facts for the developer of the store.
    var details: [Detail] = []
    /// Where the browser can go from here; a URL that the merchant has signed.
    var wayBack: String?

    struct Detail: Sendable, Equatable {
        let name: String
        let value: String
    }

    init(_ code: Code, _ details: [(String, String)] = [], wayBack: String? = nil) {
        self.code = code
        self.details = details.map { Detail(name: $0.0, value: $0.1) }
        self.wayBack = wayBack
    }

    /// The page's word for a refusal of the engine or of a schema.
    init(_ error: APIError, wayBack: String? = nil) {
        let code: Code =
            switch error.reason {
            case .unrecognizedField: .unrecognizedField
            case .invalidParameterValue: .invalidParameterValue
            case .missingParameterValue: .missingParameterValue
            case .invalidParameterCombination: .invalidParameterCombination
            case .currencyMismatch: .currencyMismatch
            case .invalidRequestFormat: .invalidRequestFormat
            case .checkoutSessionCanceled: .sessionCanceled
            case .invalidCheckoutSessionStatus: .alreadyProcessed
            case .resourceNotFound: .sessionNotFound
            default: .invalidRequest
            }
        self.init(code, [("message", error.message)], wayBack: wayBack)
    }

    func answer(_ language: HostedLanguage) -> SimulatorAnswer {
        let rows = details.filter { !$0.value.isEmpty }.map { detail in
            "<dt>\(detail.name)</dt><dd id=\"error-\(detail.name)\">\(detail.value)</dd>\n" as HTML
        }
        let back: HTML =
            wayBack.map {
                """
                <p><a id="back" class="main" href="\($0)">\(language.text("ストアに戻る", "Back to the store"))</a></p>

                """
            } ?? ""
        let frame = HostedFrame(language: language, title: language.text("エラー", "Error"), id: "page-error")
        return frame.answer(
            code.status,
            """
            <p role="alert">\(code.title(language))</p>
            <p>\(language.text("コード", "Code")): <code id="error-code">\(code.rawValue)</code></p>
            <dl>
            \(rows)</dl>
            \(back)
            """
        )
    }
}
