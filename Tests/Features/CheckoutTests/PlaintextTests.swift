import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import SessionBroker
import TestKit
import Testing

/// What comes without TLS is not routed: the listener hands it to whoever finds secrets in it.
@Suite struct `A request without TLS` {
    private func status(
        _ shop: ScriptedProgram,
        _ method: HTTPMethod,
        _ target: String,
        fields: [(HTTPFieldName, String)] = [],
        body: String = ""
    ) async throws -> Int? {
        let all: [(name: HTTPFieldName, value: String)] = [(.host, ScriptedProgram.host)] + fields.map { ($0.0, $0.1) }
        let request = try #require(HTTPRequest(method, target, fields: all, body: Array(body.utf8)))
        let plaintext = try #require(shop.offered((any PlaintextGuard).self))
        guard let revoke = plaintext.revocation(of: request) else { return nil }
        return await revoke().code
    }

    @Test func `without a token is led on by others`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            for target in ["/", "/button?secureWebviewSessionId=swa_short", "/x/\(crossing.proof.text)"] {
                let status = try await status(shop, .get, target)
                #expect(status == nil)
            }
        }
    }

    @Test(arguments: ["path", "query", "cookie", "form", "escaped", "escaped twice", "escaped often"])
    func `ends the session of a token, wherever it stands`(place: String) async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            let (launch, tab, ticket) = (crossing.launch, crossing.tab, crossing.ticket)
            shop.database.answer("webview_session_observe", crossing.row("plaintext", "revoked").opening)
            let escaped = launch.text.replacing("_", with: "%5F")
            let (hash, answer): (Digest32, Int?) =
                switch place {
                case "path": (launch.hash, try await status(shop, .get, "/x/" + launch.text))
                case "query":
                    (ticket.hash, try await status(shop, .get, "/thanks?secureWebviewSessionId=" + ticket.text))
                case "cookie":
                    (tab.hash, try await status(shop, .get, "/button", fields: [(.cookie, "\(Jar.tab)=\(tab.text)")]))
                case "form": (ticket.hash, try await status(shop, .post, "/purchase", body: "a=b&c=" + ticket.text))
                case "escaped": (launch.hash, try await status(shop, .get, "/x?a=" + escaped))
                case "escaped twice":
                    (launch.hash, try await status(shop, .get, "/x?a=" + escaped.replacing("%", with: "%25")))
                default:
                    (
                        launch.hash,
                        try await status(
                            shop,
                            .get,
                            "/x?a=" + escaped.replacing("%", with: "%" + String(repeating: "25", count: 300))
                        )
                    )
                }
            #expect(answer == 403)
            let asked = try #require(shop.database.asked.first).parameters
            let (id, seen, word, ends) = (
                try asked.uuid(0, 0), try asked.digest(0, 3), try asked.text(0, 4), try asked.bool(0, 5)
            )
            #expect(id == crossing.id && seen == hash && word == "plaintext" && ends)
        }
    }

    @Test func `with a token that nobody knows says the same`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            shop.database.answer("webview_session_observe")
            let status = try await status(shop, .get, "/x/" + crossing.launch.text)
            #expect(status == 403)
        }
    }

    @Test func `says that the database does not answer`() async throws {
        let crossing = try Crossing()
        try await withCheckout { shop in
            for (error, expected) in [(PostgresError.Code.unavailable, 503), (.overloaded, 503), (.decoding, 500)] {
                shop.database.fail("webview_session_observe", error)
                let status = try await status(shop, .get, "/x/" + crossing.launch.text)
                #expect(status == expected)
            }
            #expect(shop.log.lines(with: "the script says so").count == 3)
        }
    }
}
