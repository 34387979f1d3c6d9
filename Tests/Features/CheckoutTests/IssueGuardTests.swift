import FeatureTestKit
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import ServiceAPI
import Settings
import Testing
import Web

@testable import Checkout

/// A feature above the checkout that lets requests of an app in which show a word.
private struct Porter: Feature {
    static let card = FeatureCard("porter")

    init(_ settings: inout SettingReader) {}

    func start(_ process: ProcessContext) -> Shared { Shared() }

    struct Shared: FeatureProcess {
        func open(_ loop: LoopContext) -> Part { Part(loop) }
    }

    final class Part: FeaturePart, AppGuard {
        static let routes: [RouteGroup<Part>] = []

        let refusals = [FailureCode.scopeMissing]

        init(_ loop: LoopContext) { loop.offer(self, as: (any AppGuard).self) }

        func guards(_ route: String) -> Bool { route == "secureWebviewSession" }

        func admit(_ request: AppRequest, of account: UUIDBytes?) async throws(Failure) {
            let isWhole = request.method == "POST" && request.target == "/secureWebviewSession?"
            guard isWhole, account == nil, request.proof == String(decoding: request.body, as: UTF8.self) else {
                throw Failure(.scopeMissing)
            }
        }
    }
}

@Suite struct `A launch ticket for an app that has to prove itself` {
    private static let cart = "client=iosApp&hd8=1&hd10=2"

    @Test func `is issued to a request that its guard lets in, as it has come, and to no other`() async throws {
        let field = try #require(HTTPFieldName(AppRequest.fieldName))
        try await ScriptedProgram.run(FeatureSet([CheckoutFeature.self, Porter.self])) { shop in
            func issue(_ shown: String?, _ body: String = Self.cart) async throws -> Answer {
                let fields = [Browser.ownOrigin] + (shown.map { [(field, $0)] } ?? [])
                return try await shop.ask(.post, "/secureWebviewSession?", fields: fields, body: body)
            }
            for shown in [nil, "other"] {
                let refused = try await issue(shown)
                #expect(refused.status == 403 && refused.failure == "scope_missing", "\(refused.body)")
                #expect(refused.all(.setCookie).isEmpty)
            }
            // What can be no order is refused as such.
            #expect(try await issue(nil, "client=iosApp").status == 400)
            #expect(shop.database.asked.isEmpty)
            shop.database.answer("webview_session_issue")
            #expect(try await issue(Self.cart).status == 200)
        }
    }
}
