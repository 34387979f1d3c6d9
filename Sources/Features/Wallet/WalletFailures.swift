import HTTPCore
import ServerCore
import Web

extension FailureCode {
    /// A phone without the token of the pass; the same whether or not there is such a pass.
    static let passUnauthorized = FailureCode(
        "pass_unauthorized",
        .unauthorized,
        "There is no such pass, or this is not its token."
    )
    /// A part of the path that no pass or phone is called.
    static let pathTooLong = FailureCode("path_too_long", .uriTooLong, "A part of the path is longer than 256 bytes.")
    /// The membership is over.
    static let membershipEnded = FailureCode(
        "membership_ended",
        .conflict,
        "The membership has ended; it does not begin again under the same account."
    )
    /// Fewer points than none, or more than there can be.
    static let pointsOutOfRange = FailureCode(
        "points_out_of_range",
        .conflict,
        "The member would have fewer than 0 or more than 999999999 points."
    )

    static let ofWallet = [passUnauthorized, pathTooLong, membershipEnded, pointsOutOfRange]
}

extension FormatName {
    /// A status alone: phones read nothing else.
    static let phone = FormatName("phone")
}

/// Refusals as phones get them: a status without content.
final class PhoneFailures: FailureFormat {
    private let block: FieldBlock
    private let log: FailureLog

    init(_ headers: HeaderPolicy, _ log: FailureLog) {
        block = headers.plain
        self.log = log
    }

    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        log.note(failure, of: request)
        var response = HTTPResponse(failure.code.status, block: block)
        if failure.code == .passUnauthorized { response.add(.wwwAuthenticate, constant: "ApplePass") }
        if let seconds = failure.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        return response
    }
}
