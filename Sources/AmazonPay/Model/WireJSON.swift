import FoundationEssentials

/// Writes bodies: members sorted by name, slashes as they are, no blanks, so that one value has one text.
enum WireJSON {
    static func octets(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            // Texts, whole numbers and flags only: there is nothing an encoder could refuse.
            preconditionFailure("bodies hold nothing that JSON cannot")
        }
    }
}

/// Our own marks on a session, permission and charge.
package struct MerchantMetadata: Sendable, Hashable, Encodable {
    /// At most 256 characters; binds the session to a flow.
    package var merchantReferenceId: String?
    /// Shown to the buyer; at most 50 characters.
    package var merchantStoreName: String?
    /// Shown to the buyer; at most 255 characters.
    package var noteToBuyer: String?
    /// At most 4096 characters.
    package var customInformation: String?

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
}
