package import HTTPCore
package import Primitives

/// One reason for which requests are refused: the word on the wire, and everything that goes with it.
///
/// Declared once, as a static member, by the feature that uses it. An object, so that it is compared by identity.
package final class FailureCode: Sendable {
    /// The word that clients read; never renamed.
    package let name: String
    /// The status that goes with it.
    package let status: HTTPStatus
    /// One sentence for the developer who reads the answer.
    package let message: String
    /// Seconds after which a client may ask again, where that makes sense.
    package let retryAfter: Int?
    /// Whether the reason is on our side, and not something that any client can bring about: then it is logged.
    package let isOurs: Bool
    /// What a page says of it.
    package let notice: FailureNotice

    /// A code; what only programs are refused with needs no text for a page.
    package init(
        _ name: String,
        _ status: HTTPStatus,
        _ message: String,
        retryAfter: Int? = nil,
        isOurs: Bool = false,
        page notice: FailureNotice? = nil
    ) {
        self.name = name
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
        self.isOurs = isOurs
        self.notice = notice ?? FailureNotice(headline: Localized(name, name), detail: Localized(message, message))
    }
}

extension FailureCode: Hashable {
    /// Whether both are the same declaration.
    package static func == (one: FailureCode, other: FailureCode) -> Bool { one === other }

    /// By identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension FailureCode: CustomStringConvertible {
    /// The word.
    package var description: String { name }
}

/// What a page says of a refusal, in plain text.
package struct FailureNotice: Sendable {
    /// What kind of thing happened.
    package let headline: Localized
    /// What happened, and what to do now.
    package let detail: Localized

    /// A headline and what stands below it.
    package init(headline: Localized, detail: Localized) {
        self.headline = headline
        self.detail = detail
    }
}

/// A text in both languages of buyers.
package struct Localized: Sendable {
    /// In Japanese.
    package let japanese: String
    /// In English.
    package let english: String

    /// A text and its translation.
    package init(_ japanese: String, _ english: String) {
        self.japanese = japanese
        self.english = english
    }
}

/// The refusal of a request on its way out of a handler.
///
/// Small, because every frame between a handler and its route has room for one: what few refusals have is apart.
package struct Failure: Error {
    /// The code for the client.
    package let code: FailureCode
    private let extras: Extras?
    /// The detail for the log; never sent, and without tokens or personal data.
    package let detail: String
    /// The session that it is about, for `Webview-Session-Id`.
    package let session: UUIDBytes?
    private let seconds: Int32
    /// Whether it was refused before anything was looked up: anybody can bring it about, with the id of any session.
    package var isUnexamined = false

    private final class Extras: Sendable {
        let message: String?
        let field: String?
        let context: (any Sendable)?

        init(_ message: String?, _ field: String?, _ context: (any Sendable)?) {
            self.message = message
            self.field = field
            self.context = context
        }
    }

    /// A refusal; sentence and seconds are the code's own unless others are given.
    package init(
        _ code: FailureCode,
        _ detail: String = "",
        message: String? = nil,
        field: String? = nil,
        session: UUIDBytes? = nil,
        retryAfter: Int? = nil,
        context: (any Sendable)? = nil
    ) {
        self.code = code
        self.detail = detail
        self.session = session
        seconds = (retryAfter ?? code.retryAfter).map { Int32(clamping: max(0, $0)) } ?? -1
        // A field's name may be of the sender's making: of any length, and of none.
        let field = field.map { String(decoding: $0.utf8.prefix(200), as: UTF8.self) }.flatMap { $0.isEmpty ? nil : $0 }
        let isPlain = message == nil && field == nil && context == nil
        extras = isPlain ? nil : Extras(message, field, context)
    }

    /// For the developer who reads the answer; holds nothing secret.
    package var message: String { extras?.message ?? code.message }
    /// Which member of the content or parameter it is about, for example `lines[0].quantity`; never empty, and at most 200
    /// bytes.
    package var field: String? { extras?.field }
    /// What the feature's format adds to the answer, of a type that both know.
    package var context: (any Sendable)? { extras?.context }
    /// Seconds for `Retry-After`.
    package var retryAfter: Int? { seconds < 0 ? nil : Int(seconds) }
}

extension Failure: CustomStringConvertible {
    /// Code and detail, for operators; without the message, which may have names of the sender's choice.
    package var description: String { detail.isEmpty ? code.name : "\(code.name): \(detail)" }
}

/// What refusals look like on the wire: JSON, a page, an empty answer; one object per loop.
package protocol FailureFormat: AnyObject {
    /// The answer to a refusal, which is counted and logged here.
    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse

    /// The answer to a request whose content is not taken: 413, 408, 400 or 503.
    ///
    /// - Parameter limit: Bytes that the content may have; `nil` for the server's limit.
    /// - Returns: `nil` for the status alone.
    func response(toContentRefusedWith status: HTTPStatus, limit: Int?, _ request: HTTPRequest) -> HTTPResponse?
}

extension FailureFormat {
    package func response(
        toContentRefusedWith status: HTTPStatus,
        limit: Int?,
        _ request: HTTPRequest
    ) -> HTTPResponse? { nil }
}
