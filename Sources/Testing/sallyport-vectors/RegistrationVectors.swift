import Foundation
import HTTPCore
import Postgres
import StrictJSON

/// Phones that register, unregister and list, one request after the other.
enum RegistrationVectors: VectorKind {
    static let fileName = "register-cases.json"

    static func judge(_ document: JSONValue, in folder: URL) async throws -> [VectorOutcome] {
        let cases = document["cases"]?.elements ?? []
        return try await CardServer.judging(folder) { server in
            let cards = ["P1": try await server.member("1"), "P2": try await server.member("2")]
            var outcomes: [VectorOutcome] = []
            for (index, item) in cases.enumerated() {
                let words = (item["do"]?.text ?? "").split(separator: " ").map(String.init)
                guard words.count > 1, let status = item["status"]?.integer else {
                    throw VectorError(description: "a case without request and status")
                }
                let (found, wanted) =
                    words[0] == "list"
                    ? (try await list(words[1], cards, server), names(in: item["serials"]))
                    : (try await request(words, item, cards, server), item["push"]?.text ?? "")
                outcomes.append(
                    VectorOutcome(
                        "\(index + 1) \(words.joined(separator: " ")) \(item["auth"]?.text ?? "")",
                        found: found,
                        expected: "\(status) \(wanted)"
                    )
                )
            }
            return outcomes
        }
    }

    /// Status, and the names of the passes that are listed.
    private static func list(
        _ device: String,
        _ cards: [String: CardServer.Card],
        _ server: CardServer
    ) async throws
        -> String
    {
        let path = "\(CardServer.base)/v1/devices/\(device)/registrations/\(CardServer.passType)"
        let answer = try await server.ask("GET", path)
        let listed = answer.body.isEmpty ? nil : try JSONParser.parse(answer.body)["serialNumbers"]
        let known = (listed?.elements ?? []).map { serial in
            JSONValue.string(cards.first { $0.value.serial == serial.text }?.key ?? "unknown")
        }
        return "\(answer.status) \(names(in: .array(known)))"
    }

    private static func names(in list: JSONValue?) -> String {
        (list?.elements ?? []).compactMap(\.text).sorted().joined(separator: " ")
    }

    /// Status, and the push token that is stored then where the case names one.
    private static func request(
        _ words: [String],
        _ item: JSONValue,
        _ cards: [String: CardServer.Card],
        _ server: CardServer
    ) async throws -> String {
        let isOfAnotherType = words.count > 3
        let target = server.registration(
            words[1],
            words.count > 2 ? cards[words[2]]?.serial ?? "unknown" : "unknown",
            of: isOfAnotherType ? "pass.com.example.other" : CardServer.passType
        )
        var authorization = item["auth"]?.text
        for (name, card) in cards {
            authorization = authorization?.replacing("T" + name.dropFirst(), with: card.token)
        }
        let body = (item["body_raw"]?.text ?? item["body"]?.description ?? "")
            .replacing("<320 hex digits>", with: String(repeating: "ab", count: 160))
        let answer = try await server.ask(
            words[0] == "register" ? "POST" : "DELETE",
            target,
            authorization.map { [("Authorization", $0)] } ?? [],
            body: body
        )
        guard item["push"]?.text != nil else { return "\(answer.status) " }
        let stored = try server.admin.rows("SELECT push_token FROM wallet_device WHERE device = $1", [words[1]])
        return "\(answer.status) \(stored.first?.first?.map { $0 } ?? "none")"
    }
}
