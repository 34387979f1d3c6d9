/// What sending an order costs.
package struct PostageRule: Sendable, Hashable {
    /// To most prefectures, and where there is no address.
    package let usual: Yen
    /// To the prefectures that are far away.
    package let remote: Yen
    /// Exactly as addresses spell them.
    package let remotePrefectures: Set<String>

    /// A rule.
    ///
    /// - Parameters:
    ///   - usual: To most prefectures, and where there is no address.
    ///   - remote: To the prefectures that are far away.
    ///   - remotePrefectures: Exactly as addresses spell them.
    package init(usual: Yen, remote: Yen, remotePrefectures: Set<String>) {
        self.usual = usual
        self.remote = remote
        self.remotePrefectures = remotePrefectures
    }

    /// The sample shop's: 540 yen, 1,080 to Okinawa and Hokkaido.
    package static let sample = PostageRule(
        usual: Yen(540),
        remote: Yen(1_080),
        remotePrefectures: ["沖縄県", "北海道"]
    )

    /// The most that anything costs.
    package var dearest: Yen { max(usual, remote) }

    /// The postage to a prefecture.
    ///
    /// - Parameter prefecture: In kanji, as `stateOrRegion` of an address; `nil` where there is none.
    /// - Returns: Tax included.
    package func postage(to prefecture: String?) -> Yen {
        prefecture.map { remotePrefectures.contains($0) } == true ? remote : usual
    }
}
