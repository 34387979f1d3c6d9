/// What sending an order costs, by prefecture.
package struct PostageRule: Sendable, Hashable {
    /// To most prefectures.
    package let usual: Yen
    /// To the prefectures that are far away.
    package let remote: Yen
    /// Where sending costs more.
    package let remotePrefectures: Set<Prefecture>

    /// A rule.
    ///
    /// - Parameters:
    ///   - usual: To most prefectures.
    ///   - remote: To the prefectures that are far away.
    ///   - remotePrefectures: Where sending costs more.
    package init(usual: Yen, remote: Yen, remotePrefectures: Set<Prefecture>) {
        self.usual = usual
        self.remote = remote
        self.remotePrefectures = remotePrefectures
    }

    /// The sample shop's: 540 yen, 1,080 to Okinawa and Hokkaido.
    package static let sample = PostageRule(
        usual: Yen(540),
        remote: Yen(1_080),
        remotePrefectures: [.okinawa, .hokkaido]
    )

    /// The most that anything costs.
    package var dearest: Yen { max(usual, remote) }

    /// The postage to a prefecture.
    package func postage(to prefecture: Prefecture) -> Yen {
        remotePrefectures.contains(prefecture) ? remote : usual
    }

    /// The postage to an address.
    ///
    /// - Throws: Why the address has no prefecture, and so no price.
    package func postage(to address: Address) throws(UnplacedAddress) -> Yen {
        postage(to: try Prefecture(of: address))
    }
}
