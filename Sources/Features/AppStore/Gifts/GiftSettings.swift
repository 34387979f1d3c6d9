import Primitives
import Settings

/// What is given without a purchase: units for each purpose of a gift that a device may have once.
struct GiftSettings: Sendable, Hashable {
    private static let setting = "app_store.gifts"
    private static let most: Int64 = 1_000_000

    private let units: [OctetText: Int64]

    init(_ read: inout SettingReader) {
        let words = read.list(
            GiftSettings.setting,
            "",
            "units that a gift of DeviceCheck adds to an account's, by purpose, such as free-trial=1,ticket-gift=3; empty: none"
        )
        var units: [OctetText: Int64] = [:]
        for word in words {
            let parts = word.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let count = Int64(parts[1]), 1...GiftSettings.most ~= count,
                units.updateValue(count, forKey: String(parts[0]).octets) == nil
            else {
                read.complain(GiftSettings.setting, "not purposes with their units such as free-trial=1, each once")
                break
            }
        }
        self.units = units
    }

    /// What is given for a purpose; `nil` for nothing.
    func units(for purpose: String) -> Int64? { units[purpose.octets] }
}
