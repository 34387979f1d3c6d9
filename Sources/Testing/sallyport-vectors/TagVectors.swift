import Foundation
import HTTPCore
import Postgres
import StrictJSON

/// What a phone is told has changed since the tag that it keeps.
enum TagVectors: VectorKind {
    static let fileName = "tag-cases.json"

    static func judge(_ document: JSONValue, in folder: URL) async throws -> [VectorOutcome] {
        let cases = document["cases"]?.elements ?? []
        return try await CardServer.judging(folder) { server in
            var outcomes: [VectorOutcome] = []
            for (index, item) in cases.enumerated() { outcomes.append(try await judge(item, index, server)) }
            return outcomes
        }
    }

    private static func judge(_ item: JSONValue, _ index: Int, _ server: CardServer) async throws -> VectorOutcome {
        let device = "device-\(index)"
        var names: [String: String] = [:]
        for pass in item["passes"]?.members ?? [] {
            guard let tag = pass.value.integer else { throw VectorError(description: "a tag that is no number") }
            let card = try await server.member("\(index)-\(pass.name)")
            let registered = try await server.ask(
                "POST",
                server.registration(device, card.serial),
                [CardServer.authorization(card.token)],
                body: #"{"pushToken":"aa11"}"#
            )
            guard registered.status == 201 else {
                throw VectorError(description: "not registered: \(registered.status)")
            }
            _ = try server.admin.rows("UPDATE wallet_pass SET tag = \(tag) WHERE serial = $1", [card.serial])
            names[card.serial] = pass.name
        }
        let type = item["unknown_type"]?.flag == true ? "pass.unknown" : CardServer.passType
        let since = (item["since_raw"] ?? item["since"])?.text.map { "passesUpdatedSince=\($0)" }
        let query = (item["query_raw"]?.text ?? since).map { "?\($0)" } ?? ""
        let answer = try await server.ask(
            "GET",
            "\(CardServer.base)/v1/devices/\(device)/registrations/\(type)\(query)"
        )
        return VectorOutcome(
            item["name"]?.text ?? "\(index)",
            found: found(answer.status, answer.body, names),
            expected: try expected(of: item)
        )
    }

    private static func found(_ status: Int, _ body: [UInt8], _ names: [String: String]) -> String {
        guard !body.isEmpty else { return "\(status)" }
        let list = try? JSONParser.parse(body)
        let serials = (list?["serialNumbers"]?.elements ?? []).map { $0.text.flatMap { names[$0] } ?? "unknown" }
        return describe(status, serials, list?["lastUpdated"]?.text)
    }

    private static func expected(of item: JSONValue) throws -> String {
        guard let status = item["status"]?.integer else { throw VectorError(description: "a case without status") }
        guard let serials = item["serials"]?.elements.compactMap(\.text) else { return "\(status)" }
        return describe(status, serials, item["lastUpdated"]?.text)
    }

    private static func describe(_ status: Int, _ serials: [String], _ tag: String?) -> String {
        "\(status), \(serials.sorted().joined(separator: " ")), tag \(tag ?? "none")"
    }
}
