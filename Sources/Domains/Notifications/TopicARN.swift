import Primitives

/// The name of a topic of the notification service: `arn:PARTITION:sns:REGION:ACCOUNT:NAME`, none of them empty.
package struct TopicARN: Sendable, Hashable {
    private let partition: OctetText
    /// Where the topic is.
    package var region: String { place.string }
    private let place: OctetText
    private let account: OctetText

    /// The topic that a text names, or `nil`.
    package init?(_ text: String) {
        let parts = text.octets.parts(between: UInt8(ascii: ":")).map(\.octets)
        guard parts.count == 6, parts[0] == "arn", parts[1].starts(with: "aws"), parts[2] == "sns",
            parts.allSatisfy({ !$0.string.isEmpty })
        else { return nil }
        partition = parts[1]
        place = parts[3]
        account = parts[4]
    }

    /// Whether the vendor could have given it: one of its partitions, a region's form, an account of twelve digits.
    package var isWellFormed: Bool {
        ["aws", "aws-cn", "aws-us-gov"].contains(partition) && region.utf8.count >= 3
            && region.utf8.allSatisfy { TopicARN.isLower($0) || TopicARN.isDigit($0) || $0 == UInt8(ascii: "-") }
            && account.string.utf8.count == 12 && account.string.utf8.allSatisfy(TopicARN.isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}
