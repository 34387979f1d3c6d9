import Primitives

/// The name under which Amazon knows a merchant's public key.
package struct PublicKeyID: Sendable, Hashable {
    /// As the merchant was given it.
    package let text: String
    /// The environment that a prefix names; `nil` for the older form without one.
    package let environment: AmazonPayEnvironment?

    /// A key id, or `nil` where the text is none.
    ///
    /// Older ids have 24 characters and no prefix. Validators that insist on 24 broke when the prefixes came.
    ///
    /// - Parameter text: 20 to 40 letters and digits, possibly after `SANDBOX-` or `LIVE-` in any case.
    package init?(_ text: String) {
        let upper = text.uppercased()
        let prefix: String
        if upper.hasPrefix("SANDBOX-") {
            prefix = "SANDBOX-"
            environment = .sandbox
        } else if upper.hasPrefix("LIVE-") {
            prefix = "LIVE-"
            environment = .live
        } else {
            prefix = ""
            environment = nil
        }
        let name = text.utf8.dropFirst(prefix.utf8.count)
        guard name.count >= 20, name.count <= 40, name.allSatisfy(Characters.isAlphanumeric) else { return nil }
        self.text = text
    }
}
