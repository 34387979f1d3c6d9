import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Web

extension RouteDescription.Group {
    static let appStore = RouteDescription.Group(
        "appStore",
        "purchases in the App Store, and what accounts have of them"
    )
}

// What is known of the routes for apps, each for the account of its token.
extension RouteDescription {
    static let submitPurchase = RouteDescription(
        .post,
        "/app/v1/app-store/transactions",
        "submitPurchase",
        .appStore,
        .appStore,
        "hand in a purchase as StoreKit has signed it; finish the transaction if the answer says so, and never otherwise",
        submission
    )

    static let readBalance = RouteDescription(
        .get,
        "/app/v1/app-store/balance",
        "readBalance",
        .appStore,
        .appStore,
        "read what the account has",
        balance
    )

    static let spendUnits = RouteDescription(
        .post,
        "/app/v1/app-store/spend",
        "spendUnits",
        .appStore,
        .appStoreSpend,
        "spend units of the account",
        spending
    )

    static let readEntitlements = RouteDescription(
        .get,
        "/app/v1/app-store/entitlements",
        "readEntitlements",
        .appStore,
        .appStore,
        "read what the account has the use of: what is no consumable, not revoked and not over",
        entitlements
    )

    static let readCustomer = RouteDescription(
        .get,
        "/app/v1/app-store/customer",
        "readCustomer",
        .appStore,
        .appStore,
        "read the token that the app passes with purchases",
        customer
    )
}

extension RouteDescription {
    static let setConsent = RouteDescription(
        .put,
        "/app/v1/app-store/consent",
        "setConsent",
        .appStore,
        .appStore,
        "say whether the customer agrees that Apple is told what was used of a purchase whose refund is asked for",
        consent
    )

    static let setAccountConsent = RouteDescription(
        .put,
        "/v1/app-store/accounts/{id}/consent",
        "setAccountConsent",
        .appStore,
        .appStoreWrite,
        "say whether the customer of an account agrees that Apple is told what was used of a purchase",
        consent
    )

    private static var consent: Shape {
        var shape = Shape(.ok, .named(.consent), .consent)
        shape.body = .object([.required("consented", .flag, "whether the customer agrees")])
        shape.example = #"{"consented":true}"#
        shape.bodyLimit = 4_096
        return shape
    }
}

// What is known of the routes for the merchant's programs.
extension RouteDescription {
    static let submitAccountPurchase = RouteDescription(
        .post,
        "/v1/app-store/accounts/{id}/transactions",
        "submitAccountPurchase",
        .appStore,
        .appStoreWrite,
        "hand in a purchase of an account",
        submission
    )

    static let readAccountBalance = RouteDescription(
        .get,
        "/v1/app-store/accounts/{id}/balance",
        "readAccountBalance",
        .appStore,
        .appStoreRead,
        "read what an account has",
        balance
    )

    static let spendAccountUnits = RouteDescription(
        .post,
        "/v1/app-store/accounts/{id}/spend",
        "spendAccountUnits",
        .appStore,
        .appStoreWrite,
        "spend units of an account",
        spending
    )

    static let correctAccountUnits = RouteDescription(
        .post,
        "/v1/app-store/accounts/{id}/corrections",
        "correctAccountUnits",
        .appStore,
        .appStoreWrite,
        "add units to an account, or take them away, without a purchase",
        correction
    )

    static let readAccountEntitlements = RouteDescription(
        .get,
        "/v1/app-store/accounts/{id}/entitlements",
        "readAccountEntitlements",
        .appStore,
        .appStoreRead,
        "read what an account has the use of",
        entitlements
    )

    static let readAccountCustomer = RouteDescription(
        .get,
        "/v1/app-store/accounts/{id}/customer",
        "readAccountCustomer",
        .appStore,
        .appStoreRead,
        "read the token that the app of an account passes with purchases",
        customer
    )

    static let setAccountCustomer = RouteDescription(
        .put,
        "/v1/app-store/accounts/{id}/customer",
        "setAccountCustomer",
        .appStore,
        .appStoreWrite,
        "give an account a token of your own, which purchases have already",
        newCustomer
    )

    static let listAccountPurchases = RouteDescription(
        .get,
        "/v1/app-store/accounts/{id}/purchases",
        "listAccountPurchases",
        .appStore,
        .appStoreRead,
        "list the purchases of an account, the newest first",
        purchases
    )

    static let listAccountEntries = RouteDescription(
        .get,
        "/v1/app-store/accounts/{id}/entries",
        "listAccountEntries",
        .appStore,
        .appStoreRead,
        "list the entries of an account's ledger, the newest first",
        entries
    )
}

// What goes in and comes out.
extension RouteDescription {
    private static let environment = QueryParameter(
        "environment",
        .word(["Production", "Sandbox", "Xcode", "LocalTesting"]),
        "whose ledger; default: the first that the shop takes"
    )
    private static let units = LedgerOrder.greatestUnits

    private static var submission: Shape {
        var shape = Shape(.ok, .named(.submission), .submission)
        let device = SchemaMember.optional(
            "deviceVerificationId",
            .matching(SchemaPattern.uuid),
            "`AppStore.deviceVerificationID`: a text of another device is refused; it is not kept"
        )
        shape.body = .either([
            .object([
                .required(
                    "signedTransaction",
                    .text(1...AppStorePart.longestText),
                    "`jwsRepresentation` of StoreKit 2"
                ),
                device,
            ]),
            .object([
                .required(
                    "transactionId",
                    .matching("^[!-~]{1,128}$"),
                    "in its place: Apple's server is asked for the text"
                ),
                device,
            ]),
            .object([
                .required(
                    "receipt",
                    .text(1...AppStorePart.longestReceipt),
                    "in its place: a receipt of the app or of a transaction, from the time before StoreKit 2; Apple's server is asked by the first id in it"
                ),
                device,
            ]),
        ])
        shape.example =
            #"{"signedTransaction":"eyJhbGciOiJFUzI1NiIsIng1YyI6WyIuLi4iXX0.eyJ0cmFuc2FjdGlvbklkIjoiMSJ9.c2ln"}"#
        shape.claim = .none
        shape.problems = [
            .signedTextRefused, .purchaseOfOtherAccount, .purchaseRevoked, .purchaseTokenUnknown, .productUnknown,
            .purchaseNotGranted, .transactionUnknown, .appStoreUnavailable, .appStoreOff, .signedTextNeeded,
            .receiptUnreadable,
        ]
        return shape
    }

    private static var balance: Shape {
        var shape = Shape(.ok, .named(.balance), .balance)
        shape.query = [environment]
        shape.problems = [.environmentOff]
        return shape
    }

    private static var spending: Shape { change(.required("units", .integer(1...units), "how many are spent")) }

    private static var correction: Shape {
        change(
            .required("units", .integer(-units...units), "how many are added; below zero for those taken away; not 0")
        )
    }

    private static func change(_ number: SchemaMember) -> Shape {
        var shape = Shape(.ok, .named(.balance), .balance)
        shape.body = .object([
            number,
            .optional("reference", .printable(0...LedgerOrder.longestReference), "your own name of it"),
            .optional("environment", .word(["Production", "Sandbox", "Xcode", "LocalTesting"]), "whose ledger"),
        ])
        shape.example = #"{"units":1,"reference":"show-4711"}"#
        shape.bodyLimit = 4_096
        shape.problems = [.environmentOff, .unitsTooFew, .unitsOutOfRange]
        return shape
    }

    private static var entitlements: Shape {
        var shape = Shape(.ok, .named(.entitlements), .entitlements)
        shape.query = [environment]
        shape.problems = [.environmentOff]
        return shape
    }

    private static var customer: Shape { Shape(.ok, .named(.customer), .customer) }

    private static var newCustomer: Shape {
        var shape = customer
        shape.body = .object([
            .required("appAccountToken", .matching(SchemaPattern.uuid), "no other account's")
        ])
        shape.example = #"{"appAccountToken":"5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01"}"#
        shape.bodyLimit = 4_096
        shape.problems = [.appAccountTokenTaken]
        return shape
    }

    private static var purchases: Shape {
        var shape = ListForm.shape(
            .purchases,
            of: .named(.purchase),
            after: .matching(SchemaPattern.uuid),
            length: 36...36
        )
        shape.query.append(environment)
        shape.problems.append(.environmentOff)
        return shape
    }

    private static var entries: Shape {
        var shape = ListForm.shape(.entries, of: .named(.entry), after: .matching("^[1-9][0-9]{0,18}$"), length: 1...19)
        shape.query.append(environment)
        shape.problems.append(.environmentOff)
        return shape
    }
}

extension NamedSchema {
    private static let count = Schema.integer(0...1_000_000_000)
    private static let sum = Schema.integer(-2_000_000_000_000...2_000_000_000_000)

    fileprivate static let submission = NamedSchema(
        "AppStoreSubmission",
        .object([
            .kind("appStoreSubmission"),
            .required(
                "outcome",
                .word(["granted", "duplicate"]),
                "`duplicate`: it was granted before, and is not again"
            ),
            .required("environment", .text(1...20)), .required("transactionId", .text(1...128)),
            .required("productId", .text(1...255)), .required("units", count, "what was granted, now or before"),
            .required("balance", sum, "what the account has now"),
            .required("finish", .flag, "whether the app finishes the transaction"),
        ])
    )

    fileprivate static let balance = NamedSchema(
        "AppStoreBalance",
        .object([
            .kind("appStoreBalance"), .required("accountId", .text(36...36)), .required("environment", .text(1...20)),
            .required("units", sum, "below zero where units were spent that were refunded behind it"),
            .required("spendable", sum, "what can be spent"),
        ])
    )

    fileprivate static let customer = NamedSchema(
        "AppStoreCustomer",
        .object([
            .kind("appStoreCustomer"), .required("accountId", .text(36...36)),
            .required("appAccountToken", .text(36...36), "for `Product.PurchaseOption.appAccountToken`"),
            .optional(
                "replacedAppAccountToken",
                .nullable(.text(36...36)),
                "with PUT: the one that the account had before; a purchase with it finds no account any more. Null for none, or the same"
            ),
        ])
    )

    fileprivate static let consent = NamedSchema(
        "AppStoreConsent",
        .object([
            .kind("appStoreConsent"), .required("accountId", .text(36...36)), .required("consented", .flag),
            .required("since", .nullable(.time)),
        ])
    )

    static let purchase = NamedSchema(
        "AppStorePurchase",
        .object([
            .kind("appStorePurchase"), .required("id", .text(36...36)), .required("environment", .text(1...20)),
            .required("transactionId", .text(1...128)), .required("originalTransactionId", .text(1...128)),
            .required("productId", .text(1...255)), .required("type", .text(1...255)),
            .required("ownership", .text(0...255)), .required("quantity", count),
            .required("units", count, "what was granted"), .required("takenBack", count, "what of it for a refund"),
            .optional("purchasedAt", .time), .optional("grantedAt", .time), .optional("expiresAt", .time),
            .optional("revokedAt", .time), .optional("revocation", .text(1...255)),
            .optional("price", .any, "in thousandths of the currency's unit"), .optional("currency", .text(1...255)),
            .optional("storefront", .text(1...255)),
        ])
    )

    fileprivate static let entitlements = NamedSchema(
        "AppStoreEntitlements",
        .object([.kind("appStoreEntitlements"), .required("data", .list(.named(.purchase), 0...500))])
    )

    fileprivate static let entry = NamedSchema(
        "AppStoreEntry",
        .object([
            .kind("appStoreEntry"), .required("sequence", .integer(1...Int.max)), .required("at", .time),
            .required("kind", .word(["purchase", "refund", "reversal", "spend", "correction"])),
            .required("units", sum, "what was added; below zero for what was taken away"),
            .required("balance", sum, "the sum up to here"), .optional("purchaseId", .text(36...36)),
            .optional("reference", .text(1...255)),
        ])
    )
}

extension AnswerExample {
    private static let account = "0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70"
    private static let id = "0190a5f2-8d4c-7a2b-8c1d-3e5f7a9b0c2d"

    fileprivate static let submission = AnswerExample(
        "AppStoreSubmission",
        "a purchase that was granted",
        [
            "object": "appStoreSubmission", "outcome": "granted", "environment": "Production",
            "transactionId": "2000000510011002", "productId": "consumable.ticket.10", "units": 10, "balance": 12,
            "finish": true,
        ]
    )

    fileprivate static let balance = AnswerExample(
        "AppStoreBalance",
        "what an account has",
        [
            "object": "appStoreBalance", "accountId": .string(account), "environment": "Production", "units": 12,
            "spendable": 12,
        ]
    )

    fileprivate static let customer = AnswerExample(
        "AppStoreCustomer",
        "the token of an account",
        [
            "object": "appStoreCustomer", "accountId": .string(account),
            "appAccountToken": "5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01",
        ]
    )

    fileprivate static let consent = AnswerExample(
        "AppStoreConsent",
        "a customer who agrees",
        [
            "object": "appStoreConsent", "accountId": .string(account), "consented": true,
            "since": "2026-11-28T09:00:00Z",
        ]
    )

    private static let ticket: JSONValue = purchase("consumable.ticket.10", "Consumable", units: 10)

    fileprivate static let purchases = AnswerExample(
        "AppStorePurchases",
        "a page of purchases",
        ["object": "list", "data": [ticket], "nextCursor": .string(id), "hasMore": false]
    )

    fileprivate static let entitlements = AnswerExample(
        "AppStoreEntitlements",
        "what an account has the use of",
        ["object": "appStoreEntitlements", "data": [purchase("premium", "Non-Consumable", units: 0)]]
    )

    fileprivate static let entries = AnswerExample(
        "AppStoreEntries",
        "a page of entries",
        [
            "object": "list",
            "data": [
                [
                    "object": "appStoreEntry", "sequence": 1, "at": "2026-11-28T09:00:00Z", "kind": "purchase",
                    "units": 10, "balance": 10, "purchaseId": .string(id),
                ]
            ], "nextCursor": "1", "hasMore": false,
        ]
    )

    private static func purchase(_ product: String, _ type: String, units: Int) -> JSONValue {
        [
            "object": "appStorePurchase", "id": .string(id), "environment": "Production",
            "transactionId": "2000000510011002", "originalTransactionId": "2000000510011002",
            "productId": .string(product), "type": .string(type), "ownership": "PURCHASED", "quantity": 1,
            "units": JSONValue(units), "takenBack": 0, "purchasedAt": "2026-11-28T08:59:59Z",
            "grantedAt": "2026-11-28T09:00:00Z", "price": 1_200_000, "currency": "JPY", "storefront": "JPN",
        ]
    }
}
