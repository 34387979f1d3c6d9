/// How often a call may be made: so many at once, then so many a second.
package struct CallRate: Sendable, Hashable, CustomStringConvertible {
    /// Calls at once, 1 or more.
    package let burst: Int
    /// Calls a second, more than 0.
    package let perSecond: Double

    /// A rate; what is out of bounds is moved to the next bound.
    package init(burst: Int, perSecond: Double) {
        self.burst = min(max(1, burst), CallRate.most)
        self.perSecond = min(max(CallRate.least, perSecond), Double(CallRate.most))
    }

    /// Reads `36/7.2`: the burst, then calls a second with at most three decimals.
    ///
    /// - Parameter text: `nil` comes of everything else, of zero, and of more than 100000.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let burst = CallRate.whole(parts[0]), burst > 0,
            let thousandths = CallRate.thousandths(parts[1]), thousandths > 0, thousandths <= CallRate.most * 1000
        else { return nil }
        self.burst = burst
        perSecond = Double(thousandths) / 1000
    }

    /// As `init(_:)` reads it.
    package var description: String { "\(burst)/\(perSecond)" }

    /// The part of one of several processes; at least one call at once.
    package func share(of processes: Int) -> CallRate {
        CallRate(burst: burst / max(1, processes), perSecond: perSecond / Double(max(1, processes)))
    }

    /// A tenth less, so that clocks and the way to the service do not make one call too many of it.
    var withMargin: CallRate { CallRate(burst: burst * 9 / 10, perSecond: perSecond * 0.9) }

    private static let most = 100_000
    private static let least = 0.000_001

    private static func whole(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { $0 <= most ? $0 : nil }
    }

    private static func thousandths(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let seconds = whole(parts[0]) else { return nil }
        guard parts.count == 2 else { return seconds * 1000 }
        let decimals = parts[1]
        guard (1...3).contains(decimals.utf8.count), let value = whole(decimals) else { return nil }
        return seconds * 1000 + value * [100, 10, 1][decimals.utf8.count - 1]
    }
}

/// Whose limits hold.
package enum QuotaTable: String, Sendable, Hashable, CaseIterable {
    /// Real accounts.
    case live
    /// Test accounts, far narrower.
    case sandbox
    /// No limit: for a simulator that has none.
    case unlimited = "none"

    /// The vendor's limit of an operation for a whole account; finalize and the buyer, which are in no table, go by complete
    /// and the session.
    package func rate(of operation: AmazonPayOperation) -> CallRate? {
        switch self {
        case .live: live(operation)
        case .sandbox: sandbox(operation)
        case .unlimited: nil
        }
    }

    private func live(_ operation: AmazonPayOperation) -> CallRate {
        switch operation {
        case .createSession: CallRate(burst: 40, perSecond: 16)
        case .get, .getBuyer: CallRate(burst: 40, perSecond: 8)
        case .update: CallRate(burst: 20, perSecond: 8)
        case .complete, .finalize, .capture, .getCharge, .getRefund, .getPermission: CallRate(burst: 20, perSecond: 4)
        case .createCharge, .createRefund: CallRate(burst: 10, perSecond: 4)
        case .cancelCharge, .updatePermission, .closePermission: CallRate(burst: 10, perSecond: 2)
        }
    }

    private func sandbox(_ operation: AmazonPayOperation) -> CallRate {
        switch operation {
        case .get, .getBuyer, .getPermission: CallRate(burst: 10, perSecond: 1)
        case .createSession, .update, .getCharge, .getRefund, .updatePermission: CallRate(burst: 5, perSecond: 1)
        case .complete, .finalize, .createCharge, .capture, .cancelCharge, .createRefund, .closePermission:
            CallRate(burst: 2, perSecond: 1)
        }
    }
}
