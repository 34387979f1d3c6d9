import AmazonPaySimulator
import StrictJSON
import Testing

/// The objects of the simulator have the members of the vendor's.
@Suite("An object of the service")
struct ObjectShapeTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let value: JSONValue

        var testDescription: String { name }
    }

    private static let examples = VectorFile.named("objects.json", "objects").map {
        Example(name: $0.name, value: $0.value)
    }

    /// What newer and older accounts send beyond the examples.
    private static let more: Set = ["chargePermissionReferenceId", "paymentMethodOnFileMetadata"]

    @Test func `is there for every example`() {
        #expect(Self.examples.count == 14)
        #expect(Set(Self.examples.map { Self.kind($0.name) }).count == 6)
    }

    @Test(arguments: examples)
    func `has the members of its example`(example: Example) async throws {
        let object = try await Self.object(like: example.name)
        let members = Self.names(of: object)
        let wanted = Self.names(of: example.value)
        #expect(wanted.subtracting(members) == [], "missing")
        #expect(members.subtracting(wanted).subtracting(Self.more) == [], "invented")
        for member in example.value.members {
            let inner = Self.names(of: member.value)
            guard let own = object[member.name], !inner.isEmpty, !Self.names(of: own).isEmpty else { continue }
            #expect(inner.subtracting(Self.names(of: own)) == [], "missing in \(member.name)")
        }
        #expect(object.state == example.value.state)
    }

    private static func names(of value: JSONValue) -> Set<String> { Set(value.members.map(\.name)) }

    private static func kind(_ name: String) -> String { String(name.prefix { $0 != "-" }) }

    /// An object that has come as far as the example.
    private static func object(like name: String) async throws -> JSONValue {
        let shop = RowShop(ModelDriver())
        switch name {
        case "checkoutSession-after-review-redirect":
            return try await shop.get("checkoutSessions/" + shop.reviewed())
        case "checkoutSession-after-update":
            let id = try await shop.reviewed()
            try await shop.place(id)
            return try await shop.get("checkoutSessions/" + id)
        case "checkoutSession-completed": return try await shop.complete(shop.held()).json
        case "checkoutSession-declined":
            return try await shop.get("checkoutSessions/" + shop.held(card: "card-3434"))
        case "charge-authorized": return try await shop.get("charges/" + shop.charge(in: "Authorized"))
        case "charge-pending": return try await shop.get("charges/" + shop.charge(in: "AuthorizationInitiated"))
        case "charge-captured": return try await shop.get("charges/" + shop.charge(in: "Captured"))
        case "charge-declined": return try await shop.get("charges/" + shop.charge(in: "Declined"))
        case "chargePermission-in-progress":
            let charge = try await shop.get("charges/" + shop.charge(in: "Authorized"))
            return try await shop.get("chargePermissions/" + (charge["chargePermissionId"]?.text ?? ""))
        case "buyer": return try await shop.get("buyers/" + shop.signedIn())
        case "error": return try await shop.get("charges/nothing")
        default: return try await refund(name, shop)
        }
    }

    private static func refund(_ name: String, _ shop: RowShop) async throws -> JSONValue {
        let id = try await shop.refund(shop.charge(in: "Captured")).json["refundId"]?.text ?? ""
        if name == "refund-done" { try await shop.advance("PT5S") }
        if name == "refund-declined" { try await shop.force("refunds/" + id, "Declined", "AmazonRejected") }
        return try await shop.get("refunds/" + id)
    }
}
