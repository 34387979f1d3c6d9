import Postgres
package import Primitives
import ServiceAPI
package import StrictJSON

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

    /// Whether a text can be an external id: 1 to 128 printable characters, which are compared by their octets.
    package static func isExternalID(_ text: String) -> Bool {
        PrintableText.isGood(text, length: externalIDLength)
    }

    static let externalIDLength = 1...128

    /// As `/v1` shows it.
    package var json: JSONValue {
        .object([
            .kind("account"), JSONMember("id", .string(id.description)),
            JSONMember("externalId", JSONValue(externalID)), JSONMember("createdAt", JSONValue(time: created)),
            JSONMember("erasedAt", JSONValue(optionalTime: erased)),
        ])
    }
}
