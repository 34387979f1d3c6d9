import Primitives

/// What a merchant writes on a session, permission and charge.
package struct MerchantMetadata: Sendable, Hashable, Encodable {
    /// At most `referenceLimit`; in the provider's console, reports and mail.
    package var merchantReferenceId: String?
    /// Shown to the buyer; at most 50 characters.
    package var merchantStoreName: String?
    /// Shown to the buyer; at most 255 characters.
    package var noteToBuyer: String?
    /// At most 4096 characters; for programs.
    package var customInformation: String?

    /// Octets of a reference: the provider says 256 characters, and does not say how it counts.
    package static let referenceLimit = 256

    /// Marks; a missing one is not sent.
    ///
    /// - Parameters:
    ///   - merchantReferenceId: At most 256 characters.
    ///   - merchantStoreName: At most 50 characters.
    ///   - noteToBuyer: At most 255 characters.
    ///   - customInformation: At most 4096 characters.
    package init(
        merchantReferenceId: String? = nil,
        merchantStoreName: String? = nil,
        noteToBuyer: String? = nil,
        customInformation: String? = nil
    ) {
        self.merchantReferenceId = merchantReferenceId
        self.merchantStoreName = merchantStoreName
        self.noteToBuyer = noteToBuyer
        self.customInformation = customInformation
    }

    /// What the service would refuse; one sentence for each, empty where all is well.
    ///
    /// To be asked at start with the shop's own texts, rather than by the first buyer.
    package var problems: [String] {
        let limits: [(String, String?, Int)] = [
            ("the merchant reference", merchantReferenceId, 256), ("the store name", merchantStoreName, 50),
            ("the note to the buyer", noteToBuyer, 255), ("the custom information", customInformation, 4096),
        ]
        return limits.compactMap { name, text, limit in
            guard let text, text.unicodeScalars.count > limit else { return nil }
            return "\(name) is longer than \(limit) characters"
        }
    }
}

/// An address of ours to which Amazon sends a buyer.
package enum ReturnAddress {
    /// What the service would refuse about an address; `nil` where all is well.
    ///
    /// - Parameter text: https, or http to loopback (which the sandbox takes); at most 512 characters; no fragment, for the
    ///   vendor does not say where it puts its parameter then.
    package static func problem(_ text: String) -> String? {
        guard let url = StrictURL.read(text) else { return "\(text) is not an absolute address" }
        guard url.isSecure || url.host.isLoopback else { return "\(text) is neither https nor on loopback" }
        guard text.utf8.count <= 512 else { return "\(text.prefix(64))… is longer than 512 characters" }
        return text.utf8.contains(UInt8(ascii: "#")) ? "\(text) has a fragment" : nil
    }
}
