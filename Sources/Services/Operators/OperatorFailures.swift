import HTTPCore
import ServerCore
package import Web

extension FailureCode {
    /// Nobody of the name has shown this key, or nobody has the name.
    package static let operatorSignInRefused = FailureCode(
        "operator_sign_in_refused",
        .forbidden,
        "Name and key do not belong together.",
        page: FailureNotice(
            headline: Localized("サインインできませんでした", "You are not signed in"),
            detail: Localized("名前またはキーが正しくありません。", "The name or the key is not right.")
        )
    )
    /// The person may look, and not change.
    package static let operatorRoleMissing = FailureCode(
        "operator_role_missing",
        .forbidden,
        "The role of this person does not open this.",
        page: FailureNotice(
            headline: Localized("権限がありません", "You may not do this"),
            detail: Localized(
                "この操作には「変更」の権限が必要です。管理者にご相談ください。",
                "This needs the role “change”. Ask whoever keeps the list of the staff."
            )
        )
    )
    /// The form belongs to a session that has ended, or to another one.
    package static let operatorFormExpired = FailureCode(
        "operator_form_expired",
        .forbidden,
        "The form does not belong to this session.",
        page: FailureNotice(
            headline: Localized("画面の有効期限が切れました", "This page is out of date"),
            detail: Localized(
                "何も変更していません。画面を開き直してから、もう一度お試しください。",
                "Nothing was changed. Open the page again and repeat what you did."
            )
        )
    )
    /// A decision has no reason, or one that cannot be printed.
    package static let operatorReasonInvalid = FailureCode(
        "operator_reason_invalid",
        .badRequest,
        "A reason is 1 to 200 printable characters.",
        page: FailureNotice(
            headline: Localized("理由を入力してください", "Please give a reason"),
            detail: Localized(
                "何も変更していません。理由は200文字以内の1行で入力してください。",
                "Nothing was changed. A reason is one line of at most 200 characters."
            )
        )
    )

    static let ofOperators: [FailureCode] = [
        .operatorSignInRefused, .operatorRoleMissing, .operatorFormExpired, .operatorReasonInvalid,
    ]
}

extension Failure {
    /// What a page of the staff says of it: the words of codes that every router has are for buyers.
    var operatorNotice: FailureNotice {
        switch code {
        case .invalidRequest:
            FailureNotice(
                headline: Localized("受け付けできませんでした", "This could not be accepted"),
                detail: Localized(
                    "送られた内容が正しくないため、何も変更していません。前の画面に戻って、入力をご確認ください。",
                    "What was sent is not valid, and nothing was changed. Go back and check what you have entered."
                )
            )
        case .unavailable:
            FailureNotice(
                headline: Localized("しばらくお待ちください", "Please wait a moment"),
                detail: Localized(
                    "データベースに接続できないか、混み合っています。変更が保存されたかどうかは、記録の画面でご確認ください。",
                    "The database is away or busy. The page of decisions says whether a change was carried out."
                )
            )
        case .rateLimited:
            FailureNotice(
                headline: Localized("しばらくお待ちください", "Please wait a moment"),
                detail: Localized(
                    "失敗したサインインが続いています。1分ほど待ってから、もう一度お試しください。",
                    "Too many sign-ins have failed. Wait a minute and try again."
                )
            )
        default: code.notice
        }
    }
}

/// Refusals on the staff's pages that no page of a session has made: an unknown path, a method, a content that is too large.
final class OperatorRefusals: FailureFormat {
    private let frames: OperatorFrames
    private let log: FailureLog

    init(_ frames: OperatorFrames, _ log: FailureLog) {
        self.frames = frames
        self.log = log
    }

    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        log.note(failure, of: request)
        return frames.refusal(failure, of: request, session: nil)
    }

    func response(
        toContentRefusedWith status: HTTPStatus,
        limit: Int?,
        _ request: HTTPRequest
    ) -> HTTPResponse? {
        status == .payloadTooLarge ? response(to: Failure(.payloadTooLarge), request) : nil
    }
}
