package import SimulatorCore
import StrictJSON

extension Merchant {
    /// The accounts of a file: `{"merchants":[{…}]}`, as docs/simulator.md describes.
    ///
    /// - Returns: In the order of the file; whether they make sense is for `SimulatorConfiguration.problems`.
    /// - Throws: `SimulatorError` with the first thing that cannot be read.
    package static func read(_ json: [UInt8]) throws(SimulatorError) -> [Merchant] {
        let value: JSONValue
        do {
            value = try JSONParser.parse(json)
        } catch {
            throw SimulatorError(problems: ["merchants: not valid JSON: \(error)"])
        }
        do {
            var root = try JSONReader(value)
            var merchants: [Merchant] = []
            for object in try root.objects("merchants") { merchants.append(try merchant(object)) }
            try root.end()
            return merchants
        } catch {
            throw SimulatorError(problems: ["merchants: \(error)"])
        }
    }

    private static func merchant(_ object: JSONReader) throws(JSONRefusal) -> Merchant {
        var object = object
        let id = try object.text("merchantId")
        let stores = try texts("storeIds", &object)
        var keys: [PublicKey] = []
        for key in try object.objects("publicKeys") { keys.append(try publicKey(key)) }
        let domains = try texts("allowedDomains", &object)
        let currency = try object.optionalText("ledgerCurrency") ?? "JPY"
        let status = try object.optionalText("status") ?? "active"
        guard status == "active" || status == "suspended" else {
            throw object.refusal("status", .notA("active or suspended"))
        }
        let notifications = try target(&object)
        try object.end()
        var merchant = Merchant(
            id: id,
            storeIDs: stores,
            publicKeys: keys,
            allowedDomains: domains,
            ledgerCurrency: currency,
            isActive: status == "active"
        )
        merchant.notifications = notifications
        return merchant
    }

    private static func target(_ object: inout JSONReader) throws(JSONRefusal) -> NotificationTarget? {
        let (url, topic) = (try object.optionalText("ipnUrl"), try object.optionalText("topicArn"))
        guard let url else { return nil }
        guard let topic else { throw object.refusal("topicArn", .missing) }
        return NotificationTarget(url: url, topicARN: topic)
    }

    private static func publicKey(_ object: JSONReader) throws(JSONRefusal) -> PublicKey {
        var object = object
        let id = try object.text("publicKeyId")
        let pem = try object.text("pem")
        let name = try object.optionalText("environment")
        let environment: ReleaseEnvironment? =
            switch name {
            case nil: nil
            case "sandbox": .sandbox
            case "live": .live
            default: throw object.refusal("environment", .notA("sandbox or live"))
            }
        let isEnabled = try object.optionalFlag("enabled") ?? true
        try object.end()
        return PublicKey(id: id, pem: pem, environment: environment, isEnabled: isEnabled)
    }

    private static func texts(_ name: String, _ object: inout JSONReader) throws(JSONRefusal) -> [String] {
        guard let value = object.value(name) else { return [] }
        let texts = value.elements.compactMap(\.text)
        guard case .array(let elements) = value, elements.count == texts.count else {
            throw object.refusal(name, .notA("a list of texts"))
        }
        return texts
    }
}
