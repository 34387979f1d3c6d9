import Postgres
package import Primitives
package import ServiceAPI
package import StrictJSON
package import Web

/// A person as the merchant knows them.
package struct Account: Sendable, Hashable {
    /// Names the account for good.
    package let id: UUIDBytes
    /// When it was opened.
    package let created: WallTime
    /// The merchant's own id of the person; `nil` once the account is erased.
    package let externalID: String?
    /// When its erasure began; `nil` while it is somebody's.
    package let erased: WallTime?
    /// When every feature had erased what it kept; `nil` before.
    package let cleared: WallTime?

    /// Refuses a text that can be no external id, which is compared by its octets.
    ///
    /// - Parameter field: What a request calls it.
    /// - Throws: `invalid_request`.
    package static func checkExternalID(_ text: String, field: String = "externalId") throws(Failure) {
        guard !PrintableText.isVisible(text, length: externalIDLength) else { return }
        throw Failure(
            .invalidRequest,
            message:
                "An external id has 1 to \(externalIDLength.upperBound) visible characters, and no blank at its ends.",
            field: field
        )
    }

    static let externalIDLength = 1...128

    /// An external id as the description of the interface has it.
    package static let externalIDSchema = Schema.visible(externalIDLength)

    /// As `/v1` shows it.
    package var json: JSONValue {
        .object([
            .kind("account"), JSONMember("id", .string(id.description)),
            JSONMember("externalId", JSONValue(externalID)), JSONMember("createdAt", JSONValue(time: created)),
            JSONMember("erasedAt", JSONValue(optionalTime: erased)),
        ])
    }
}
