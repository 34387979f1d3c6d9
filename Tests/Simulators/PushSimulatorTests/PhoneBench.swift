import HTTPCore
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@testable import PushSimulator

extension PushBench {
    static let serial = "4F3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90"
    static let get = "GET /v1/passes/\(topic)/\(serial)"

    /// A pass of the shop.
    static func pass(
        points: Int,
        serial: String = PushBench.serial,
        webService: Bool = true,
        hasMessage: Bool = true
    ) -> JSONValue {
        var field: [JSONMember] = [
            JSONMember("key", "points"), JSONMember("label", "POINTS"), JSONMember("value", JSONValue(points)),
        ]
        if hasMessage { field.append(JSONMember("changeMessage", "Now %@ points")) }
        var members: [JSONMember] = [
            JSONMember("passTypeIdentifier", .string(topic)), JSONMember("serialNumber", .string(serial)),
            JSONMember("storeCard", ["primaryFields": [.object(field)]]),
        ]
        if webService {
            members.append(JSONMember("webServiceURL", .string(ScriptedShop.origin + "/")))
            members.append(JSONMember("authenticationToken", "k3Jv0pZ8wQ2xT7bN5mYc1LrS"))
        }
        return .object(members)
    }

    /// The answer with a version of the pass.
    static func version(_ pass: JSONValue, _ date: String? = "Sat, 21 Nov 2026 09:00:01 GMT") -> InboundResponse {
        InboundResponse(
            status: 200,
            fields: [("Content-Type", "application/vnd.apple.pkpass")] + (date.map { [("Last-Modified", $0)] } ?? []),
            body: pass.bytes
        )
    }

    /// The answer that names passes.
    static func listed(_ serials: [String], _ tag: JSONValue = "7") -> InboundResponse {
        let body: JSONValue = ["serialNumbers": .array(serials.map(JSONValue.string)), "lastUpdated": tag]
        return InboundResponse(status: 200, body: body.bytes)
    }

    /// The phone of a number.
    func phone(_ number: Int = 1) throws -> Phone { try #require(simulator.model.phones[number]) }

    /// Where phones register.
    func registration(_ phone: Phone, serial: String = PushBench.serial) -> String {
        "/v1/devices/\(phone.device)/registrations/\(PushBench.topic)/\(serial)"
    }

    func list(_ phone: Phone, tag: String? = nil) -> String {
        "GET /v1/devices/\(phone.device)/registrations/\(PushBench.topic)"
            + (tag.map { "?passesUpdatedSince=" + $0 } ?? "")
    }

    /// Puts a file onto a phone.
    @discardableResult
    func add(_ pass: JSONValue, to phone: Int = 1) async throws -> SimulatorAnswer {
        let type = (name: HTTPFieldName.contentType, value: "application/vnd.apple.pkpass")
        return try await ask("POST", "/phones/\(phone)/add", pass.bytes, fields: [type])
    }

    /// A phone with the pass, registered.
    func registered(points: Int = 0, date: String? = nil) async throws -> Phone {
        try await control("POST", "/phones")
        let phone = try phone(simulator.model.phones.count)
        shop.answers["POST " + registration(phone)] = [InboundResponse(status: 201)]
        try await add(PushBench.pass(points: points), to: phone.number)
        simulator.model.phones[phone.number]?.cards[0].lastModified = date
        return try self.phone(phone.number)
    }

    /// Pushes to a phone, as the shop's server does.
    func push(to phone: Phone, expiration: String? = nil) async throws -> String {
        let client = try await client()
        let fields = expiration.map { [("apns-expiration", $0)] } ?? []
        let answer = await client.answer(try client.request("/3/device/" + phone.pushToken, fields: fields))
        client.close()
        return answer.status
    }
}
