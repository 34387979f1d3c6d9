import Primitives
import StrictJSON

/// What a developer says of goods whose money a customer wants back, checked.
struct ConsumptionReport: Sendable {
    /// As it came.
    let text: String

    private static let deliveries = [
        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
        "UNDELIVERED_OTHER",
    ]
    private static let preferences = ["GRANT_FULL", "GRANT_PRORATED", "DECLINE"]

    /// Checks one of the present form.
    ///
    /// - Throws: The code of the member that is wrong; 4000000 where the vendor's is unknown.
    init(_ body: JSONValue, about purchase: Purchase) throws(APIFailure) {
        guard body["customerConsented"]?.flag == true else { throw .bad(4_000_035, "customerConsented") }
        guard body["sampleContentProvided"]?.flag != nil else { throw .bad(4_000_041, "sampleContentProvided") }
        guard let delivery = body["deliveryStatus"]?.text, Self.deliveries.contains(delivery) else {
            throw .bad(4_000_036, "deliveryStatus")
        }
        var percentage: Int?
        if let value = body["consumptionPercentage"] {
            guard let number = value.integer, (0...100_000).contains(number) else {
                throw .bad(4_000_000, "consumptionPercentage")
            }
            guard purchase.kind != .subscription else { throw .bad(4_000_209, "consumptionPercentage") }
            guard delivery.octets == "DELIVERED" || number == 0 else { throw .bad(4_000_000, "consumptionPercentage") }
            percentage = number
        }
        if let value = body["refundPreference"] {
            guard let preference = value.text, Self.preferences.contains(preference) else {
                throw .bad(4_000_044, "refundPreference")
            }
            if preference.octets == "GRANT_PRORATED", purchase.kind != .subscription {
                guard let percentage, (1..<100_000).contains(percentage) else {
                    throw .bad(4_000_000, "consumptionPercentage")
                }
            }
        }
        text = body.description
    }

    /// Checks one of the old form, twelve members of which most are numbers.
    init(old body: JSONValue) throws(APIFailure) {
        guard body["customerConsented"]?.flag == true else { throw .bad(4_000_035, "customerConsented") }
        guard body["sampleContentProvided"]?.flag != nil else { throw .bad(4_000_041, "sampleContentProvided") }
        for (name, code, greatest) in Self.numbers {
            guard let number = body[name]?.integer, (0...greatest).contains(number) else { throw .bad(code, name) }
        }
        if let token = body["appAccountToken"] {
            guard let text = token.text, text.isEmpty || UUIDBytes(text.octets.lowercase) != nil else {
                throw .bad(4_000_033, "appAccountToken")
            }
        }
        if let preference = body["refundPreference"] {
            guard let number = preference.integer, (0...3).contains(number) else {
                throw .bad(4_000_044, "refundPreference")
            }
        }
        text = body.description
    }

    /// Name, code and greatest value.
    private static let numbers: [(String, Int, Int)] = [
        ("accountTenure", 4_000_032, 7), ("consumptionStatus", 4_000_034, 3), ("deliveryStatus", 4_000_036, 5),
        ("lifetimeDollarsPurchased", 4_000_037, 7), ("lifetimeDollarsRefunded", 4_000_038, 7),
        ("platform", 4_000_039, 2), ("playTime", 4_000_040, 7), ("userStatus", 4_000_042, 4),
    ]
}
