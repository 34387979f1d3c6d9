import HTTPCore
package import Primitives

// The codes that no feature has to itself.

extension FailureCode {
    /// Of every router: no route has the path.
    package static let notFound = FailureCode(
        "not_found",
        .notFound,
        "There is nothing here.",
        page: FailureNotice(
            headline: Localized("ページが見つかりません", "Page not found"),
            detail: Localized("お探しのページはありません。", "There is no such page.")
        )
    )
    /// Of every router: the path has no such method.
    package static let methodNotAllowed = FailureCode(
        "method_not_allowed",
        .methodNotAllowed,
        "This method does not work here.",
        page: FailureNotice(
            headline: Localized("受け付けできませんでした", "This could not be accepted"),
            detail: Localized("この操作は受け付けていません。", "This is not possible here.")
        )
    )
    /// A parameter is missing, repeated or malformed.
    package static let invalidRequest = FailureCode(
        "invalid_request",
        .badRequest,
        "A parameter, field or cookie is missing, malformed, repeated or not known.",
        page: FailureNotice(
            headline: Localized("受け付けできませんでした", "This could not be accepted"),
            detail: Localized(
                "送られた内容が正しくありません。まだご注文でない場合は、お手数ですが、カートからやり直してください。",
                "What was sent is not valid. If you have not ordered yet, please start again from the cart."
            )
        )
    )
    /// The request did not come from a page of the same origin.
    package static let csrfRejected = FailureCode(
        "csrf_rejected",
        .forbidden,
        "The request does not come from a page of this shop.",
        page: FailureNotice(
            headline: Localized("受け付けできませんでした", "This could not be accepted"),
            detail: Localized(
                "このページからの送信ではないため、受け付けませんでした。前の画面に戻って、もう一度お試しください。",
                "This did not come from our own page and was refused. Please go back and try again."
            )
        )
    )
    /// Too many requests.
    package static let rateLimited = FailureCode(
        "rate_limited",
        .tooManyRequests,
        "Too many requests. Try again later.",
        retryAfter: 60,
        page: FailureNotice(
            headline: Localized("しばらくお待ちください", "Please wait a moment"),
            detail: Localized(
                "アクセスが集中しています。少し待ってから、もう一度お試しください。",
                "There are too many requests. Please wait a moment and try again."
            )
        )
    )
    /// A part of the service is away for the moment.
    package static let unavailable = FailureCode(
        "unavailable",
        .serviceUnavailable,
        "The service cannot answer now. Try again; if the request had an Idempotency-Key, use the same one.",
        retryAfter: 5,
        isOurs: true,
        page: FailureNotice(
            headline: Localized("しばらくお待ちください", "Please wait a moment"),
            detail: Localized(
                "ただいま混み合っています。しばらくしてから、もう一度お試しください。",
                "The shop is busy right now. Please try again in a moment."
            )
        )
    )
    /// The request is too large.
    package static let payloadTooLarge = FailureCode(
        "payload_too_large",
        .payloadTooLarge,
        "The request is too large.",
        page: FailureNotice(
            headline: Localized("受け付けできませんでした", "This could not be accepted"),
            detail: Localized(
                "送られた内容が大きすぎます。",
                "What was sent is too large."
            )
        )
    )
    /// Our own fault, and the answer to anything else.
    package static let internalError = FailureCode(
        "internal_error",
        .internalError,
        "The request failed on our side.",
        isOurs: true,
        page: FailureNotice(
            headline: Localized("エラーが発生しました", "Something went wrong"),
            detail: Localized(
                "お手数ですが、しばらくしてから、もう一度お試しください。",
                "We are sorry. Please try again in a moment."
            )
        )
    )
}

/// An error that a handler need not turn into a refusal itself.
package protocol RefusalError: Error {
    /// The refusal for the client.
    var failure: Failure { get }
}

extension Failure {
    /// The refusal that any error becomes: itself, what it says of itself, or a fault of ours.
    package init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as any RefusalError: self = error.failure
        default: self.init(.internalError, String(reflecting: error))
        }
    }

    /// Runs a body, and turns any error of it into the refusal that it becomes.
    package static func mapErrors<Value>(_ body: () async throws -> Value) async throws(Failure) -> Value {
        do {
            return try await body()
        } catch {
            throw Failure(error)
        }
    }
}

extension StoreError: RefusalError {
    /// The refusal that a failure of the store becomes.
    package var failure: Failure {
        switch code {
        case .unavailable: Failure(.unavailable, debugDescription)
        // An interface whose requests have keys has a code of its own for this.
        case .outcomeUnknown: Failure(.unavailable, debugDescription, context: self)
        case .overloaded: Failure(.unavailable, debugDescription, retryAfter: 1)
        case .limited(let seconds): Failure(.rateLimited, debugDescription, retryAfter: seconds)
        case .fault: Failure(.internalError, debugDescription)
        }
    }
}
