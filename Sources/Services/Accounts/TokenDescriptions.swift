import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Web

extension RouteDescription.Group {
    static let app = RouteDescription.Group("app", "what an app asks for the account of its token")
}

// What is known of the routes of tokens.
extension RouteDescription {
    static let issueToken = RouteDescription(
        .post,
        "/v1/accounts/{id}/tokens",
        "issueToken",
        .accounts,
        .accountsWrite,
        "make a token with which an app speaks for the account; a repeat makes another one",
        issue
    )

    static let listTokens = RouteDescription(
        .get,
        "/v1/accounts/{id}/tokens",
        "listTokens",
        .accounts,
        .accountsRead,
        "list the tokens of an account that work, the newest first",
        ListForm.shape(
            .tokens,
            of: .named(.token),
            after: .matching(SchemaPattern.uuid),
            length: 36...36
        )
    )

    static let revokeToken = RouteDescription(
        .delete,
        "/v1/accounts/{id}/tokens/{token}",
        "revokeToken",
        .accounts,
        .accountsWrite,
        "end a token at once; may be repeated",
        Shape(.ok, .named(.revocation), .revocation)
    )

    static let revokeTokens = RouteDescription(
        .delete,
        "/v1/accounts/{id}/tokens",
        "revokeTokens",
        .accounts,
        .accountsWrite,
        "end all tokens of an account at once; may be repeated",
        Shape(.ok, .named(.revocation), .revocation)
    )

    static let readOwnAccount = RouteDescription(
        .get,
        "/app/v1/account",
        "readOwnAccount",
        .app,
        .app(nil),
        "read for which account the token speaks",
        Shape(.ok, .named(.ownAccount), .ownAccount)
    )

    static let endOwnToken = RouteDescription(
        .delete,
        "/app/v1/token",
        "endOwnToken",
        .app,
        .app(nil),
        "end the token that is shown: the person has signed out",
        Shape(.ok, .named(.revocation), .revocation)
    )

    private static var issue: Shape {
        var shape = Shape(.created, .named(.newToken), .newToken)
        shape.body = .object([
            .optional(
                "scopes",
                .list(.text(1...64), 1...100),
                "what it opens; without it, all but what has to be named, as spending has"
            ),
            .optional("lifetime", .integer(AccountToken.lifetimes), "seconds; default: \(AccountToken.usualLifetime)"),
        ])
        shape.example = #"{"lifetime":600}"#
        shape.claim = .none
        shape.bodyLimit = 16_384
        shape.problems = [.accountErased]
        return shape
    }
}

extension NamedSchema {
    static let token = NamedSchema("AccountToken", .object(tokenMembers))

    fileprivate static let newToken = NamedSchema(
        "NewAccountToken",
        .object(
            [
                tokenMembers[0],
                .required("token", .matching("^sat_[A-Za-z0-9_-]{64}$"), "what the app shows; never shown again"),
            ] + tokenMembers[1...]
        )
    )

    fileprivate static let revocation = NamedSchema(
        "AccountTokenRevocation",
        .object([
            .kind("accountTokenRevocation"), .required("accountId", .text(36...36)),
            .required("revoked", .integer(0...AccountToken.most), "how many tokens worked until then"),
        ])
    )

    fileprivate static let ownAccount = NamedSchema(
        "OwnAccount",
        .object([
            .kind("account"), .required("id", .text(36...36)), scopes,
            .required("expiresAt", .time, "when the token ends"),
        ])
    )

    private static let scopes = SchemaMember.required("scopes", .list(.text(1...64), 0...100), "what it opens")

    private static let tokenMembers: [SchemaMember] = [
        .kind("accountToken"), .required("id", .text(36...36), "names the token; no secret"),
        .required("accountId", .text(36...36)), scopes, .required("createdAt", .time), .required("expiresAt", .time),
    ]
}

extension AccountToken {
    /// One for examples.
    static let example = AccountToken(
        id: UUIDBytes(high: 0x019A_6C2E_9000_7A10, low: 0xB125_67E0_1C84_33D2),
        account: UUIDBytes(high: 0x019A_6C2E_8D4F_7B31, low: 0x9C05_2E7F_41D0_8A64),
        created: WallTime(seconds: 1_790_000_000),
        expires: WallTime(seconds: 1_790_003_600),
        scopes: []
    )
}

extension AnswerExample {
    private static let kept = AccountToken.example
    private static let shown = AppToken("sat_AZpsLpAAehCxJWfgHIQz0gAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")

    fileprivate static let newToken = AnswerExample(
        "NewAccountToken",
        "a token, with the only showing of its text",
        shown.map { kept.json(with: $0) } ?? .null
    )
    fileprivate static let tokens = AnswerExample(
        "AccountTokens",
        "the tokens of an account",
        .object([
            .kind("list"), JSONMember("data", .array([kept.json])),
            JSONMember("nextCursor", .string(kept.id.description)), JSONMember("hasMore", false),
        ])
    )
    fileprivate static let revocation = AnswerExample(
        "AccountTokenRevocation",
        "a token that is no longer one",
        AccountsPart.revocation(of: kept.account, 1)
    )
    fileprivate static let ownAccount = AnswerExample(
        "OwnAccount",
        "the account of a token",
        AccountsPart.own(AppGrant(account: kept.account, scopes: [], expires: kept.expires), [])
    )
}
