import HTTPCore
import Primitives
import SimulatorCore
package import StrictJSON

// What the control interface shows.

extension AmazonPayModel {
    var stateJSON: JSONValue {
        [
            "clock": clockJSON, "options": switches.json,
            "merchants": .array(
                configuration.merchants.map { merchant in
                    [
                        "merchantId": .string(merchant.id), "storeIds": .array(merchant.storeIDs.map(JSONValue.string)),
                        "publicKeyIds": .array(merchant.publicKeys.map { .string($0.id) }),
                        "allowedDomains": .array(merchant.allowedDomains.map(JSONValue.string)),
                    ]
                }
            ),
            "buyers": .array(
                configuration.buyers.map { buyer in
                    [
                        "email": .string(buyer.email),
                        "addressIds": .array(buyer.addresses.map { .string($0.id) }),
                    ]
                }
            ),
            "cardIds": .array(TestCard.all.map { .string($0.id) }),
            "counts": [
                "checkoutSessions": JSONValue(engine.sessions.count), "charges": JSONValue(engine.charges.count),
                "chargePermissions": JSONValue(engine.permissions.count), "refunds": JSONValue(engine.refunds.count),
                "calls": JSONValue(calls.count), "faults": JSONValue(faults.waiting.count),
                "nextBuyers": JSONValue(pages.nextBuyers.count),
            ],
            "checkoutSessions": .array(engine.latestSessions(200).compactMap(summary)),
        ]
    }

    private func summary(_ id: String) -> JSONValue? {
        guard let session = engine.sessions[id] else { return nil }
        return [
            "checkoutSessionId": .string(id), "state": .string(session.stateName),
            "held": .bool(session.hold != nil), "amount": JSONValue(session.payment.chargeAmount),
            "merchantReferenceId": JSONValue(session.metadata.referenceID),
            "customInformation": JSONValue(session.metadata.customInformation), "chargeId": JSONValue(session.chargeID),
            "effectiveCompletes": JSONValue(engine.effectiveCompletes[id] ?? 0),
        ]
    }

    /// An object of any merchant as the service would show it, with what the simulator knows beyond that.
    func objectJSON(_ id: String) throws(ControlError) -> JSONValue {
        if let session = engine.sessions[id] {
            let known: JSONValue = [
                "merchantId": .string(session.merchantID), "buyer": JSONValue(session.choice?.buyer.email),
                "card": JSONValue(session.choice?.card.id), "held": .bool(session.hold != nil),
                "effectiveCompletes": JSONValue(engine.effectiveCompletes[id] ?? 0),
            ]
            return AmazonPayModel.adding(known, to: json(of: session))
        }
        if let permission = engine.permissions[id] {
            let known: JSONValue = [
                "merchantId": .string(permission.merchantID), "checkoutSessionId": .string(permission.sessionID),
                "chargeIds": .array(permission.chargeIDs.map(JSONValue.string)),
            ]
            return AmazonPayModel.adding(known, to: json(of: permission))
        }
        if let charge = engine.charges[id] { return charge.json }
        if let refund = engine.refunds[id] { return refund.json }
        throw ControlError(404, "There is no object \(id).")
    }

    private static func adding(_ known: JSONValue, to object: JSONValue) -> JSONValue {
        .object(object.members + [JSONMember("_sim", known)])
    }

    /// The count of effective completes of every session in the log.
    package func logMembers(of entries: [CallEntry]) -> [JSONMember] {
        var completes: [JSONMember] = []
        for id in entries.compactMap(\.subject.sessionID) where !completes.contains(where: { $0.name == id }) {
            completes.append(JSONMember(id, JSONValue(engine.effectiveCompletes[id] ?? 0)))
        }
        return [JSONMember("effectiveCompletes", .object(completes))]
    }
}
