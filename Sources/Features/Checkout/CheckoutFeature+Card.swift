import CheckoutCodes
import Pages
package import ServerCore
import ServiceAPI
import SessionBroker
import Settings
import StrictJSON
import Web

extension CheckoutFeature {
    package static let card = FeatureCard(
        "checkout",
        commands: [
            AssociationCommand.command, LinkCommand.command, AuditCommand.command, RevokeCommand.command,
            StuckCommand.command, ExplainSignatureCommand.command,
        ],
        statements: .own(
            PostgresSessionStore.statements + PostgresNotificationStore.statements
                + PostgresLedgerStore.statements + PostgresUnsettledStore.statements,
            trails: ["webview_session_event"],
            trustedFunctions: ["ledger_prune(interval)"]
        ),
        failures: FailureCode.ofCheckout,
        cookies: CookieNames.allCases.flatMap { CookieTable($0).all },
        demo: FeatureDemo(secrets: ["session.trail_secret": "trail"], settings: demoSettings),
        slots: StaticAsset.ofCheckout + [LinkHostUse(), GuardedRoute.issue]
    )

    private static func demoSettings(_ demo: DemoSource) -> [String: JSONValue] {
        [
            "apps.ios": [["prefix": "ABCDE12345", "bundle": "com.example.shop"]],
            "apps.android": [
                [
                    "package": "com.example.shop",
                    "fingerprints": [.string(Array(repeating: "AB", count: 32).joined(separator: ":"))],
                ]
            ],
            "log_steps": true,
            // In a database of its own only.
            "session.allow_policy_change": .bool(demo.text("database_url").isEmpty),
            // So both for orders that are captured with the payment and for those that a call captures.
            "shop.payment": "ご注文の確定時に承認され、ショップが売上を確定したときに請求されます。",
            "shop.payment_en": "Authorised with the order, charged once the shop captures it.",
            "shop.delivery": "ご注文から3日以内に発送します。",
            "shop.delivery_en": "Sent within three days of the order.",
            "shop.returns": "発送前はお問い合わせからキャンセルできます。未開封の商品は到着後8日以内に返品できます。送料はお客様のご負担です。",
            "shop.returns_en":
                "Orders can be cancelled until they are sent. Unopened goods can be returned within eight days, at your cost.",
            "shop.legal_url": "https://shop.example.com/legal",
            "shop.terms_url": "https://shop.example.com/terms",
            "shop.privacy_url": "https://shop.example.com/privacy",
            "shop.contact_url": "https://shop.example.com/contact",
            "shop.home_url": "https://shop.example.com/",
        ]
    }

    package func walkthrough(web: WebOrigin, authorityPath: String) -> Walkthrough? {
        let (web, page) = (web.text, "/browser/cart")
        return Walkthrough(
            page: page,
            text: """
                In a browser:   \(web)\(page)   (certificate: \(authorityPath), or \(web)/crt/sample.crt)
                A whole purchase with curl, as the iOS app and its tab would make it:

                  CA=\(authorityPath) WEB=\(web) SIM=\(settings.provider.apiURL) scripts/walkthrough iosApp

                One step at a time:

                  curl --cacert \(authorityPath) -c app.jar -o /dev/null \(web)/iosApp/cart
                  curl --cacert \(authorityPath) -b app.jar -d 'client=iosApp&hd8=1&hd10=1' \(web)/secureWebviewSession
                  curl --cacert \(authorityPath) -c tab.jar -L "\(web)/button?secureWebviewSessionId=THE_TICKET"
                """
        )
    }
}
