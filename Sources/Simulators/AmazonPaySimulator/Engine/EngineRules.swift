/// The durations and ceilings of the service.
enum EngineRules {
    /// From creation until an uncompleted session is canceled.
    static let sessionLife = Duration.seconds(24 * 3_600)
    /// From creation until a session is forgotten.
    static let sessionRetention = Duration.seconds(30 * 86_400)
    /// From authorisation until an uncaptured charge is canceled.
    static let authorizationLife = Duration.seconds(30 * 86_400)
    /// How long a capture is immediate.
    static let promptCapture = Duration.seconds(7 * 86_400)
    static let permissionLife = Duration.seconds(180 * 86_400)
    /// Thirteen months.
    static let extendedPermissionLife = Duration.seconds(395 * 86_400)
    /// How long a charge permission shows the buyer.
    static let buyerDataLife = Duration.seconds(30 * 86_400)
    /// How long a pending authorisation takes in the sandbox.
    static let bankDelay = Duration.seconds(30)
    /// How long a capture takes that is not immediate; not documented by the vendor.
    static let lateCapture = Duration.seconds(30)
    static let refundDelay = Duration.seconds(5)
    /// How long a merchant can read a buyer who has signed in.
    static let signInLife = Duration.seconds(24 * 3_600)
    static let chargesPerPermission = 25
    /// Not documented by the vendor.
    static let refundsPerCharge = 25

    /// The greatest charge, in the smallest coin.
    static func ceiling(_ currency: Currency) -> Int64 {
        currency == .jpy ? 10_000_000 : 15_000_000
    }

    /// The most that refunds of a charge may add up to: a little more than was captured.
    static func refundCeiling(captured: Price) -> Int64 {
        let most: Int64 = captured.currency == .jpy ? 8_400 : 7_500
        return captured.units + min(captured.units * 15 / 100, most)
    }
}
