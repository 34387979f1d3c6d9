import SimulatorCore
import StrictJSON

/// What is wrong with the texts of the store on purpose, until a tester says otherwise.
struct TextSwitches: Sendable {
    /// Of the certificates.
    var flaw: AppStoreAuthority.Flaw?
    /// Whether a bit of each signature is wrong.
    var spoilsSignatures = false
    /// In the place of the app's.
    var bundleID: String?
    /// In the place of the store's.
    var environment: String?
    /// Bytes that each payload has beside its own.
    var padding = 0
    /// Whether more than the vendor's limits of requests a second are refused.
    var limitsRates = false

    /// Takes over what a tester names; an empty text or zero takes it back.
    ///
    /// - Throws: 400, naming what is wrong.
    mutating func apply(_ body: ControlBody) throws(ControlError) {
        try body.check([
            .init("certificates", .oneOf(["good"] + AppStoreAuthority.Flaw.allCases.map(\.rawValue))),
            .init("spoilsSignatures", .flag), .init("bundleId", .text(200)), .init("environment", .text(40)),
            .init("padding", .count), .init("limitsRates", .flag),
        ])
        let value = body.value
        if let word = value["certificates"]?.text { flaw = AppStoreAuthority.Flaw(rawValue: word) }
        spoilsSignatures = value["spoilsSignatures"]?.flag ?? spoilsSignatures
        if let text = value["bundleId"]?.text { bundleID = text.isEmpty ? nil : text }
        if let text = value["environment"]?.text { environment = text.isEmpty ? nil : text }
        padding = min(value["padding"]?.integer ?? padding, 16 << 20)
        limitsRates = value["limitsRates"]?.flag ?? limitsRates
    }

    var json: JSONValue {
        [
            "certificates": .string(flaw?.rawValue ?? "good"), "spoilsSignatures": .bool(spoilsSignatures),
            "bundleId": JSONValue(bundleID), "environment": JSONValue(environment), "padding": JSONValue(padding),
            "limitsRates": .bool(limitsRates),
        ]
    }

    /// The payload that is signed in the place of the right one.
    func alter(_ payload: JSONValue) -> JSONValue {
        guard bundleID != nil || environment != nil || padding > 0 else { return payload }
        guard case .object(let members) = replaced(payload) else { return payload }
        guard padding > 0 else { return .object(members) }
        return .object(members + [JSONMember("padding", .string(String(repeating: "x", count: padding)))])
    }

    private func replaced(_ value: JSONValue) -> JSONValue {
        guard case .object(let members) = value else { return value }
        return .object(
            members.map { member in
                switch member.name {
                case "bundleId": JSONMember(member.name, bundleID.map(JSONValue.string) ?? member.value)
                case "environment", "receiptType":
                    JSONMember(member.name, environment.map(JSONValue.string) ?? member.value)
                default: JSONMember(member.name, replaced(member.value))
                }
            }
        )
    }
}
