import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Web

extension RouteDescription.Group {
    static let accounts = RouteDescription.Group("accounts", "the persons whom other objects are of")
}

// What is known of the routes of accounts.
extension RouteDescription {
    static let createAccount = RouteDescription(
        .post,
        "/v1/accounts",
        "createAccount",
        .accounts,
        .accountsWrite,
        "open an account, once for each `externalId`",
        creation
    )

    static let listAccounts = RouteDescription(
        .get,
        "/v1/accounts",
        "listAccounts",
        .accounts,
        .accountsRead,
        "list accounts, the newest first, or find one by its `externalId`",
        list
    )

    static let readAccount = RouteDescription(
        .get,
        "/v1/accounts/{id}",
        "readAccount",
        .accounts,
        .accountsRead,
        "read an account",
        Shape(.ok, .named(.account), .account)
    )

    static let eraseAccount = RouteDescription(
        .delete,
        "/v1/accounts/{id}",
        "eraseAccount",
        .accounts,
        .accountsWrite,
        "erase an account with all that is kept of it; may be repeated",
        Shape([
            Answer(.ok, .named(.erasure), .erasure), Answer(.accepted, .named(.erasure), .unfinishedErasure),
        ])
    )

    static let exportAccount = RouteDescription(
        .get,
        "/v1/accounts/{id}/export",
        "exportAccount",
        .accounts,
        .accountsRead,
        "read all that is kept of an account",
        export
    )

    private static var creation: Shape {
        var shape = Shape([Answer(.created, .named(.account), .account), Answer(.ok, .named(.account), .account)])
        shape.body = .object([.required("externalId", externalID, "your own id of the person; compared octet by octet")]
        )
        shape.example = #"{"externalId":"customer-4711"}"#
        shape.claim = .none
        shape.bodyLimit = 4_096
        return shape
    }

    private static var list: Shape {
        var shape = ListForm.shape(
            .accounts,
            of: .named(.account),
            after: .matching(SchemaPattern.uuid),
            length: 36...36
        )
        shape.query.append(QueryParameter("externalId", externalID, "the account of this id alone"))
        return shape
    }

    private static var export: Shape {
        var shape = Shape(.ok, .named(.export), .export)
        shape.problems = [.accountErased]
        return shape
    }

    private static let externalID = Account.externalIDSchema
}

extension NamedSchema {
    fileprivate static let account = NamedSchema(
        "Account",
        .object([
            .kind("account"), .required("id", .text(36...36)),
            .required("externalId", .nullable(.text(Account.externalIDLength)), "`null` once it is erased"),
            .required("createdAt", .time),
            .required("erasedAt", .nullable(.time), "when its erasure began; from then on it is nobody's"),
        ])
    )

    fileprivate static let erasure = NamedSchema(
        "AccountErasure",
        .object([
            .kind("accountErasure"), .required("accountId", .text(36...36)), .required("erasedAt", .time),
            .required("isComplete", .flag, "whether nothing is left; if something is, it is tried again without you"),
            .required("wasComplete", .flag, "whether nothing was left before: it is a repeat"),
            .required(
                "features",
                .list(
                    .object([
                        .required("feature", .text(1...64)),
                        .required("outcome", .word(["erased", "failed"]), "`failed`: what it keeps is still there"),
                        .optional(
                            "erased",
                            .list(
                                .object([
                                    .required("kind", .text(1...64)), .required("count", .integer(0...Int(Int32.max))),
                                ]),
                                0...100
                            ),
                            "with `erased`: how many of each kind"
                        ),
                    ]),
                    0...100
                )
            ),
        ])
    )

    fileprivate static let export = NamedSchema(
        "AccountExport",
        .object([
            .kind("accountExport"), .required("account", .named(.account)),
            .required(
                "tokens",
                .list(.named(.token), 0...AccountToken.most),
                "those that work, without what opens anything"
            ),
            .required(
                "features",
                .list(
                    .object([
                        .required("feature", .text(1...64)), .required("data", .any, "`null` where it keeps nothing"),
                    ]),
                    0...100
                )
            ),
        ])
    )
}

extension AnswerExample {
    private static let person = Account(
        id: UUIDBytes(high: 0x019A_6C2E_8D4F_7B31, low: 0x9C05_2E7F_41D0_8A64),
        created: WallTime(seconds: 1_790_000_000),
        externalID: "customer-4711",
        erased: nil,
        cleared: nil
    )
    private static let nobody = Account(
        id: person.id,
        created: person.created,
        externalID: nil,
        erased: person.created + .seconds(86_400),
        cleared: nil
    )

    fileprivate static let account = AnswerExample("Account", "an account", person.json)
    fileprivate static let accounts = AnswerExample(
        "Accounts",
        "a page of accounts",
        .object([
            .kind("list"), JSONMember("data", .array([person.json])),
            JSONMember("nextCursor", .string(person.id.description)), JSONMember("hasMore", false),
        ])
    )
    fileprivate static let erasure = AnswerExample(
        "AccountErasure",
        "an account of which nothing is left",
        ErasureReport(features: [("wallet", .erased(AccountErasure(["passes": 1])))]).json(nobody)
    )
    fileprivate static let unfinishedErasure = AnswerExample(
        "UnfinishedErasure",
        "an account of which something is left",
        ErasureReport(features: [("wallet", .failed)]).json(nobody)
    )
    fileprivate static let export = AnswerExample(
        "AccountExport",
        "what is kept of an account",
        AccountExport(account: person, tokens: [.example], features: [("wallet", ["passes": []])]).json
    )
}
