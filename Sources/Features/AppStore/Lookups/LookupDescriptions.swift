import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Web

// What is known of the routes by which the merchant's programs ask Apple's server.
extension RouteDescription {
    static let readOrder = RouteDescription(
        .get,
        "/v1/app-store/orders/{orderId}",
        "readOrder",
        .appStore,
        .appStoreRead,
        "ask Apple what was bought with an order of production, and whose it is; nothing is kept or granted",
        order
    )

    static let readTransaction = RouteDescription(
        .get,
        "/v1/app-store/transactions/{transactionId}",
        "readTransaction",
        .appStore,
        .appStoreRead,
        "ask Apple about a transaction, and whose it is; nothing is kept or granted",
        transaction
    )

    static let nameAccount = RouteDescription(
        .put,
        "/v1/app-store/accounts/{id}/transactions/{transactionId}",
        "nameAccount",
        .appStore,
        .appStoreWrite,
        "have Apple name an account in a purchase that was made outside of the app, and hand it in",
        naming
    )

    static let readSubscriptions = RouteDescription(
        .get,
        "/v1/app-store/accounts/{id}/subscriptions",
        "readSubscriptions",
        .appStore,
        .appStoreRead,
        "ask Apple how the subscriptions of an account are now",
        subscriptions
    )

    private static let asked = QueryParameter(
        "environment",
        .word(["Production", "Sandbox"]),
        "default: every one that the shop takes, in its order"
    )
    private static let ledger = QueryParameter(
        "environment",
        .word(["Production", "Sandbox", "Xcode", "LocalTesting"]),
        "whose purchases; default: the first that the shop takes"
    )
    private static let problems: [FailureCode] = [
        .environmentOff, .signedTextRefused, .transactionUnknown, .appStoreUnavailable, .appStoreOff,
    ]

    private static var order: Shape {
        var shape = Shape(.ok, .named(.order), .order)
        shape.problems = problems
        return shape
    }

    private static var transaction: Shape {
        var shape = Shape(.ok, .named(.transaction), .transaction)
        shape.query = [asked]
        shape.problems = problems
        return shape
    }

    private static var naming: Shape {
        var shape = Shape(.ok, .named(.transaction), .transaction)
        shape.body = .object([
            .optional(
                "environment",
                .word(["Production", "Sandbox"]),
                "default: every one that the shop takes, in its order"
            )
        ])
        shape.example = #"{"environment":"Production"}"#
        shape.bodyLimit = 4_096
        shape.problems = problems + [.purchaseOfOtherAccount, .appAccountTokenRefused]
        return shape
    }

    private static var subscriptions: Shape {
        var shape = Shape(.ok, .named(.subscriptions), .subscriptions)
        shape.query = [ledger]
        shape.problems = problems
        return shape
    }
}

extension NamedSchema {
    fileprivate static let transaction = NamedSchema(
        "AppStoreTransaction",
        .object([
            .kind("appStoreTransaction"), .required("environment", .text(1...20)),
            .required("transactionId", .text(1...128)), .required("originalTransactionId", .text(1...128)),
            .required("productId", .text(1...255)), .required("type", .text(1...255)),
            .required("ownership", .text(0...255)), .required("quantity", .integer(1...1_000)),
            .required("appAccountToken", .nullable(.text(36...36)), "the account that the app named"),
            .required("signedAt", .time), .required("purchasedAt", .nullable(.time)),
            .required("expiresAt", .nullable(.time)), .required("revokedAt", .nullable(.time)),
            .required("revocation", .nullable(.text(1...255))),
            .required("accountId", .nullable(.text(36...36)), "whose it is, where that is known"),
            .required("purchase", .nullable(.named(.purchase)), "what is kept of it, where it was handed in"),
        ])
    )

    fileprivate static let order = NamedSchema(
        "AppStoreOrder",
        .object([
            .kind("appStoreOrder"), .required("orderId", .text(1...128)),
            .required("isKnown", .flag, "whether Apple knows it as an order of this app"),
            .required("data", .list(.named(.transaction), 0...1_000)),
        ])
    )

    private static let renewal = NamedSchema(
        "AppStoreRenewal",
        .object([
            .required("productId", .nullable(.text(1...255)), "what it renews as"),
            .required("isRenewing", .nullable(.flag)), .required("renewsAt", .nullable(.time)),
            .required("isInBillingRetry", .flag), .required("graceEndsAt", .nullable(.time)),
            .required(
                "endedFor",
                .nullable(.text(1...20)),
                "why it has ended: `cancelled`, `billing_error`, `price_not_agreed`, `product_gone`, `other`"
            ),
            .required("price", .any, "in thousandths of the currency's unit, or null"),
            .required("currency", .nullable(.text(1...255))),
        ])
    )

    private static let subscription = NamedSchema(
        "AppStoreSubscription",
        .object([
            .kind("appStoreSubscription"), .required("groupId", .text(1...255)),
            .required("originalTransactionId", .text(1...128)),
            .required(
                "status",
                .text(1...20),
                "`active`, `expired`, `billing_retry`, `grace_period`, `revoked`"
            ), .required("transaction", .named(.transaction)), .required("renewal", .nullable(.named(.renewal))),
        ])
    )

    fileprivate static let subscriptions = NamedSchema(
        "AppStoreSubscriptions",
        .object([
            .kind("appStoreSubscriptions"), .required("accountId", .text(36...36)),
            .required("environment", .text(1...20)), .required("data", .list(.named(.subscription), 0...1_000)),
        ])
    )
}

extension AnswerExample {
    private static let account = "0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70"

    private static func bought(_ product: String, _ type: String, until end: JSONValue) -> JSONValue {
        [
            "object": "appStoreTransaction", "environment": "Production", "transactionId": "2000000510011002",
            "originalTransactionId": "2000000510011002", "productId": .string(product), "type": .string(type),
            "ownership": "PURCHASED", "quantity": 1, "appAccountToken": "5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01",
            "signedAt": "2026-11-28T09:00:00Z", "purchasedAt": "2026-11-28T08:59:59Z", "expiresAt": end,
            "revokedAt": .null, "revocation": .null, "accountId": .string(account), "purchase": .null,
        ]
    }

    private static let ticket = bought("consumable.ticket.10", "Consumable", until: .null)

    fileprivate static let transaction = AnswerExample("AppStoreTransaction", "a purchase as Apple knows it", ticket)

    fileprivate static let order = AnswerExample(
        "AppStoreOrder",
        "an order that nobody has handed in yet",
        ["object": "appStoreOrder", "orderId": "MK5TTTVWJH", "isKnown": true, "data": [ticket]]
    )

    fileprivate static let subscriptions = AnswerExample(
        "AppStoreSubscriptions",
        "a subscription that goes on",
        [
            "object": "appStoreSubscriptions", "accountId": .string(account), "environment": "Production",
            "data": [
                [
                    "object": "appStoreSubscription", "groupId": "21400001",
                    "originalTransactionId": "2000000510011002", "status": "active",
                    "transaction": bought(
                        "premium.monthly",
                        "Auto-Renewable Subscription",
                        until: "2026-12-28T08:59:59Z"
                    ),
                    "renewal": [
                        "productId": "premium.monthly", "isRenewing": true, "renewsAt": "2026-12-28T08:59:59Z",
                        "isInBillingRetry": false, "graceEndsAt": .null, "endedFor": .null, "price": 480_000,
                        "currency": "JPY",
                    ],
                ]
            ],
        ]
    )
}
