import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite struct `The buyer of a session` {
    private static let request = MerchantRequest.all[2]

    private static func find(_ shop: ScriptedProgram, _ row: OrderRow) {
        shop.database.answer("order_read", row.row)
        shop.database.answer("ledger_objects")
    }

    @Test(arguments: ["paid", "payment_pending", "captured", "part_refunded", "refunded"])
    func `is read at the provider, and nothing of it is kept`(state: String) async throws {
        try await withMerchants { shop in
            Self.find(shop, OrderRow(state))
            shop.provider.answer(200, ProviderBodies.permission("Chargeable", buyer: true))
            let answer = try await shop.send(Self.request)
            #expect(
                answer.status == 200 && answer[.webviewSessionID] == Sample.session
                    && answer[.cacheControl] == "no-store"
            )
            #expect(answer.json["email"]?.text == "b@example.test" || answer.body.contains("b@example.test"))
            #expect(answer.json["address"]?["name"]?.text == "見本 花子")
            let request = try #require(shop.provider.requests.first)
            #expect(request.method == "GET" && request.url.hasSuffix("/chargePermissions/" + Sample.permission))
            #expect(shop.log.lines(with: "b@example.test").isEmpty)
        }
    }

    @Test(
        arguments: [
            ("created", 409, "not_ready"), ("at_provider", 409, "not_ready"), ("in_review", 409, "not_ready"),
            ("declined", 410, "session_over"), ("canceled", 410, "session_over"), ("expired", 410, "session_over"),
            ("closed", 410, "session_over"),
        ]
    )
    func `is nobody where nothing was paid, and the provider is not asked`(
        state: String,
        status: Int,
        code: String
    ) async throws {
        try await withMerchants { shop in
            var row = OrderRow(state)
            if status == 410 { row.expires = nil }
            Self.find(shop, row)
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.webviewSessionID] == Sample.session)
            #expect(shop.provider.requests.isEmpty)
        }
    }

    @Test func `is not there yet where another card may still be chosen`() async throws {
        try await withMerchants { shop in
            Self.find(shop, OrderRow("declined"))
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 409 && answer.code == "not_ready" && shop.provider.requests.isEmpty)
        }
    }

    @Test(
        arguments: [
            ([.refusal(404, "ResourceNotFound")], 410, "buyer_unavailable", nil),
            ([.answer(404)], 410, "buyer_unavailable", nil),
            ([.answer(200, ProviderBodies.permission("Closed"))], 410, "buyer_unavailable", nil),
            ([.refusal(403, "UnauthorizedAccess")], 503, "provider_failed", 403),
            ([.answer(500), .answer(500), .answer(503)], 503, "provider_failed", 503),
            (ProviderStep.failures(.timedOut), 503, "provider_failed", nil),
            (ProviderStep.failures(.connectFailed), 503, "provider_failed", nil),
            ([.answer(200, "nonsense")], 503, "provider_failed", nil),
        ] as [([ProviderStep], Int, String, Int?)]
    )
    func `is not known where the provider does not say it`(
        steps: [ProviderStep],
        status: Int,
        code: String,
        said: Int?
    )
        async throws
    {
        try await withMerchants { shop in
            Self.find(shop, OrderRow("paid"))
            ProviderStep.script(steps, shop)
            let answer = try await shop.send(Self.request)
            #expect(answer.status == status && answer.code == code && answer[.webviewSessionID] == Sample.session)
            #expect(answer.provider?["status"]?.integer == said)
        }
    }

    @Test func `is found by the checkout session while the outcome is known to the provider alone`() async throws {
        try await withMerchants { shop in
            Self.find(shop, OrderRow("paying"))
            shop.provider.answer(200, ProviderBodies.session("Completed"))
            shop.provider.answer(200, ProviderBodies.permission("Chargeable", buyer: true))
            let answer = try await shop.send(Self.request)
            #expect(answer.status == 200 && shop.provider.requests.count == 2)
            Self.find(shop, OrderRow("paying"))
            shop.provider.answer(200, ProviderBodies.session("Open"))
            let open = try await shop.send(Self.request)
            #expect(open.status == 409 && open.code == "purchase_in_progress" && open[.retryAfter] == "2")
            var row = OrderRow("paying")
            row.checkoutSession = nil
            Self.find(shop, row)
            let none = try await shop.send(Self.request)
            #expect(none.status == 410 && none.code == "buyer_unavailable")
        }
    }

    @Test func `is not asked for too often`() async throws {
        try await withMerchants { shop in
            for number in 0..<20 {
                Self.find(shop, OrderRow("paid"))
                shop.provider.answer(200, ProviderBodies.permission("Chargeable", buyer: true))
                let answer = try await shop.send(Self.request)
                guard answer.status != 200 else { continue }
                #expect(number >= 5 && answer.status == 429 && answer.code == "rate_limited")
                #expect(answer[.retryAfter] != nil && answer[.webviewSessionID] == Sample.session)
                return shop.provider.clear()
            }
            Issue.record("the provider was asked 20 times for one session")
        }
    }
}
