import EventIO
import Primitives

/// The name of the file in which Apple gives a key out: it has the id of the key, which is sent beside each signature.
package enum AppleKeyName: String {
    /// A key of the developer portal or of App Store Connect: `AuthKey_ID.p8`.
    case auth = "AuthKey_"
    /// A key for In-App Purchase: `SubscriptionKey_ID.p8`.
    case subscription = "SubscriptionKey_"

    private static let end = ".p8"

    /// The id of the key that a path leads to now, through links; `nil` where its file has another name.
    package static func id(at path: String, as kinds: [AppleKeyName]) -> String? {
        let path = (try? Files.resolved(path)) ?? path
        let name = path.octets.parts(between: UInt8(ascii: "/")).last ?? ""
        guard name.octets.ends(with: end.octets),
            let kind = kinds.first(where: { name.octets.starts(with: $0.rawValue.octets) }),
            name.utf8.count > kind.rawValue.utf8.count + end.utf8.count
        else { return nil }
        let id = String(Substring(name.utf8.dropFirst(kind.rawValue.utf8.count).dropLast(end.utf8.count)))
        return id.octets.isWord ? id : nil
    }
}
