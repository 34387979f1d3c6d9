import Primitives

/// The number of an order as the buyer sees it; never a key.
///
/// Eleven characters: five, a dash and five of Crockford's Base32, made of the last 50 random bits of the flow id, so it
/// needs no sequence and tells nothing about how many orders there are. Two orders share one with a chance of 1 in 10^15.
package struct OrderNumber: Sendable, Hashable, CustomStringConvertible {
    /// For example `4F7K9-2QX8M`.
    package let description: String

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The number of a flow's order.
    ///
    /// - Parameter flow: The same flow always gives the same number.
    package init(_ flow: FlowID) {
        var characters: [UInt8] = []
        characters.reserveCapacity(11)
        for position in 0..<10 {
            if position == 5 { characters.append(UInt8(ascii: "-")) }
            characters.append(OrderNumber.alphabet[Int(flow.low >> UInt64(45 - 5 * position) & 31)])
        }
        description = String(decoding: characters, as: UTF8.self)
    }
}
