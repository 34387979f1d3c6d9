import HTTPCore

/// Who has how much of something that is limited; an address and its network, a /24 or a /48, have shares of it.
///
/// A network gets no more than is free, and an address no more than its network may still get. So one network has half of all at
/// most, two have three quarters, and there is always room for another one. The same holds for the addresses of a network: one
/// alone has a quarter of all.
struct AddressShares: Sendable {
    /// How much is taken.
    private(set) var total = 0
    private var byAddress: [UInt64: Int] = [:]
    private var byNetwork: [UInt64: Int] = [:]
    private let limit: Int
    private let hasShares: Bool

    /// Shares of which none is taken.
    ///
    /// - Parameters:
    ///   - hasShares: False where whoever comes first gets all.
    init(of limit: Int, hasShares: Bool) {
        self.limit = limit
        self.hasShares = hasShares
    }

    /// How much an address has.
    func amount(of key: UInt64) -> Int { byAddress[key, default: 0] }

    /// Takes some more.
    ///
    /// - Parameter key: Stands for the address, see `PeerAddress.bucketKey`; `nil` is counted in the total alone.
    /// - Returns: False where the rest or the share is smaller; then nothing was taken.
    mutating func take(_ amount: Int, _ key: UInt64?) -> Bool {
        guard amount <= limit - total else { return false }
        if let key {
            let network = PeerAddress.networkKey(ofBucket: key)
            let ofAddress = byAddress[key, default: 0]
            let ofNetwork = byNetwork[network, default: 0]
            guard !hasShares || isShare(amount, ofAddress, ofNetwork) else { return false }
            byAddress[key] = ofAddress + amount
            byNetwork[network] = ofNetwork + amount
        }
        total += amount
        return true
    }

    private func isShare(_ amount: Int, _ ofAddress: Int, _ ofNetwork: Int) -> Bool {
        // What the network gets is no longer free: both move. All but the last piece are counted as taken already.
        let left = limit - total - ofNetwork - 2 * (amount - 1)
        return left > 0 && ofAddress + amount <= (left + 1) / 2
    }

    /// Gives some back.
    mutating func give(_ amount: Int, _ key: UInt64?) {
        total -= amount
        guard let key else { return }
        AddressShares.take(amount, from: &byAddress, key)
        AddressShares.take(amount, from: &byNetwork, PeerAddress.networkKey(ofBucket: key))
    }

    private static func take(_ amount: Int, from amounts: inout [UInt64: Int], _ key: UInt64) {
        guard let present = amounts[key] else { return }
        amounts[key] = present > amount ? present - amount : nil
    }
}
