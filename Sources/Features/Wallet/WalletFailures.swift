import HTTPCore
import Web

extension FailureCode {
    /// A phone without the token of the pass; the same whether or not there is such a pass.
    static let passUnauthorized = FailureCode(
        "pass_unauthorized",
        .unauthorized,
        "There is no such pass, or this is not its token."
    )
    /// No person has so many phones.
    static let passOnTooManyPhones = FailureCode(
        "pass_on_too_many_phones",
        .forbidden,
        "The card is on 2000 phones already."
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

    static let ofWallet = [passUnauthorized, passOnTooManyPhones, pathTooLong, membershipEnded, pointsOutOfRange]
}

extension FormatName {
    /// A status alone: phones read nothing else.
    static let phone = FormatName("phone")
}
