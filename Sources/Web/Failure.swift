package import HTTPCore

/// One reason for which requests are refused: the word on the wire, and the status that goes with it.
///
/// Declared once, as a static member, by the feature that uses it. An object, so that it is compared by identity.
package final class FailureCode: Sendable, Equatable {
    /// The word that clients read; never renamed.
    package let name: String
    /// The status that goes with it.
    package let status: HTTPStatus

    /// A code.
    package init(_ name: String, _ status: HTTPStatus) {
        self.name = name
        self.status = status
    }

    /// Whether both are the same declaration.
    package static func == (one: FailureCode, other: FailureCode) -> Bool { one === other }

    /// Of every router: no route has the path.
    package static let notFound = FailureCode("not_found", .notFound)
    /// Of every router: the path has no such method.
    package static let methodNotAllowed = FailureCode("method_not_allowed", .methodNotAllowed)
}

/// The refusal of a request on its way out of a handler.
package struct Failure: Error {
    /// What the client is told.
    package let code: FailureCode

    /// A refusal.
    package init(_ code: FailureCode) { self.code = code }
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
