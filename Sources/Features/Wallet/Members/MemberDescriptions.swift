import Accounts
import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Web

extension RouteDescription.Group {
    static let wallet = RouteDescription.Group("wallet", "member cards for Apple Wallet")
}

// What is known of the routes for the shop's programs.
extension RouteDescription {
    static let issueCard = RouteDescription(
        .post,
        "/v1/wallet/members",
        "issueCard",
        .wallet,
        .walletWrite,
        "make a member and a card, once for each `externalId` and type of pass",
        issue
    )

    static let listMembers = RouteDescription(
        .get,
        "/v1/wallet/members",
        "listMembers",
        .wallet,
        .walletRead,
        "list members, or find them by state, beginning of the name, or your own id",
        list
    )

    static let readMember = RouteDescription(
        .get,
        "/v1/wallet/members/{id}",
        "readMember",
        .wallet,
        .walletRead,
        "read a member with passes, phones and history",
        Shape(.ok, .named(.member), .member)
    )

    static let changePoints = RouteDescription(
        .post,
        "/v1/wallet/members/{id}/points",
        "changePoints",
        .wallet,
        .walletWrite,
        "set a member's points or add to them; phones learn of it by themselves",
        points
    )

    static let renewLink = RouteDescription(
        .post,
        "/v1/wallet/members/{id}/link",
        "renewLink",
        .wallet,
        .walletWrite,
        "make another download link; the one of before is dead",
        link
    )

    static let endMembership = RouteDescription(
        .delete,
        "/v1/wallet/members/{id}",
        "endMembership",
        .wallet,
        .walletWrite,
        "end a membership: the card becomes void, and what is known of the person goes",
        Shape(.ok, .named(.member), .member)
    )

    static let wakePhones = RouteDescription(
        .post,
        "/v1/wallet/pass-types/{passType}/push",
        "wakePhones",
        .wallet,
        .walletWrite,
        "wake all phones with passes of a type, so many a second",
        push
    )

    private static let pointRange = 0...MemberDraft.greatestPoints

    private static var issue: Shape {
        var shape = Shape([Answer(.created, .named(.card), .card), Answer(.ok, .named(.card), .card)])
        shape.body = .object([
            .required("externalId", Account.externalIDSchema, "your own id of the person"),
            .optional("name", .printable(MemberDraft.nameLength), "as the card shows it"),
            .optional("points", .integer(pointRange), "of a new member; default: 0"),
            .optional(
                "template",
                .text(MemberDraft.templateLength),
                "of several; default: the one that the operator names, or the only one"
            ),
            .optional("fields", MemberDraft.fieldSchema, "what else the template shows"),
        ])
        shape.example = #"{"externalId":"customer-4711","name":"山田 花子"}"#
        shape.claim = .none
        shape.bodyLimit = 65_536
        shape.problems = [.membershipEnded]
        return shape
    }

    private static var list: Shape {
        var shape = ListForm.shape(
            .members,
            of: .named(.member),
            after: .matching(SchemaPattern.uuid),
            length: 36...36
        )
        shape.query += [
            QueryParameter("state", .word(MemberQuery.states.map(\.string)), "members with a pass in this state"),
            QueryParameter(
                "name",
                .printableParameter(MemberQuery.nameLength),
                "members whose names begin so, whatever the case"
            ),
            QueryParameter("externalId", Account.externalIDSchema, "the member of this id alone"),
        ]
        return shape
    }

    private static var points: Shape {
        var shape = Shape(.ok, .named(.points), .points)
        shape.body = .either([
            .object([.required("set", .integer(pointRange), "the points of afterwards")]),
            .object([
                .required(
                    "add",
                    .integer(-MemberDraft.greatestPoints...MemberDraft.greatestPoints),
                    "what is added to them, or taken away"
                )
            ]),
        ])
        shape.example = #"{"add":100}"#
        shape.bodyLimit = 4_096
        shape.problems = [.membershipEnded, .pointsOutOfRange]
        return shape
    }

    private static var link: Shape {
        var shape = Shape(.ok, .named(.link), .link)
        shape.body = .object([])
        shape.example = "{}"
        shape.claim = .none
        shape.bodyLimit = 4_096
        shape.problems = [.membershipEnded]
        return shape
    }

    private static var push: Shape {
        var shape = Shape(.accepted, .named(.push), .push)
        shape.body = .object([])
        shape.example = "{}"
        shape.claim = .none
        shape.bodyLimit = 4_096
        return shape
    }
}

extension NamedSchema {
    fileprivate static let card = NamedSchema(
        "WalletCard",
        .object([
            .kind("walletCard"), .required("accountId", .text(36...36), "the member"),
            .required("externalId", .text(1...128)), .required("passType", .text(1...256)),
            .required("serialNumber", .text(36...36)),
            .required("walletUrl", .text(1...2_048), "opens the card on a phone; whoever has it can install the card"),
        ])
    )

    fileprivate static let link = NamedSchema(
        "WalletLink",
        .object([
            .kind("walletLink"), .required("accountId", .text(36...36), "the member"),
            .required("walletUrl", .text(1...2_048), "opens the card on a phone; whoever has it can install the card"),
        ])
    )

    fileprivate static let points = NamedSchema(
        "WalletPoints",
        .object([
            .kind("walletPoints"), .required("accountId", .text(36...36), "the member"),
            .required("points", .integer(0...MemberDraft.greatestPoints), "those of afterwards"),
            .required("changed", .flag, "whether they are others than before"),
            .required("devices", .integer(0...1_000_000), "how many phones are woken"),
        ])
    )

    fileprivate static let push = NamedSchema(
        "WalletPush",
        .object([.kind("walletPush"), .required("passType", .text(1...256))])
    )

    fileprivate static let member = NamedSchema(
        "WalletMember",
        .object([
            .kind("walletMember"), .required("accountId", .text(36...36)), .optional("externalId", .text(1...128)),
            .optional("name", .text(0...200)), .required("points", .integer(0...MemberDraft.greatestPoints)),
            .required("createdAt", .time), .optional("endedAt", .time),
            .optional("state", .word(MemberQuery.states.map(\.string)), "of the newest pass"),
            .required("passes", .list(.named(.pass), 0...100)),
        ])
    )

    private static let pass = NamedSchema(
        "WalletPass",
        .object([
            .required("passType", .text(1...256)), .required("serialNumber", .text(36...36)),
            .required("template", .text(MemberDraft.templateLength)),
            .required("state", .word(MemberQuery.states.map(\.string))),
            .required("version", .integer(1...Int(Int32.max))), .required("devices", .integer(0...1_000_000)),
            .required("createdAt", .time), .required("modifiedAt", .time, "of the version, as phones compare it"),
            .optional("linkOpenedAt", .time), .optional("registeredAt", .time, "when a phone registered first"),
            .optional("lastRegisteredAt", .time), .optional("fetchedAt", .time),
            .optional("fetchedVersion", .integer(1...Int(Int32.max)), "the version that was fetched last"),
            .optional("voidedAt", .time),
            .optional("phones", .list(.any, 0...1_000), "only of a member that is read alone"),
            .optional("history", .list(.any, 0...50), "the newest events first; only of a member that is read alone"),
            .optional("errors", .list(.any, 0...20), "what phones complain of; only of a member that is read alone"),
        ])
    )
}

extension AnswerExample {
    private static let account = "0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70"
    private static let url =
        "https://shop.example.com/wallet/0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70?k=2vQ0YhXo7mYp3w5kT1uJ9A"
    private static let passType = "pass.com.example.shop.member"
    private static let serial = "4F3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90"

    fileprivate static let card = AnswerExample(
        "WalletCard",
        "a card and its link",
        [
            "object": "walletCard", "accountId": .string(account), "externalId": "customer-4711",
            "passType": .string(passType), "serialNumber": .string(serial), "walletUrl": .string(url),
        ]
    )

    fileprivate static let link = AnswerExample(
        "WalletLink",
        "another link",
        ["object": "walletLink", "accountId": .string(account), "walletUrl": .string(url)]
    )

    fileprivate static let points = AnswerExample(
        "WalletPoints",
        "points of afterwards",
        ["object": "walletPoints", "accountId": .string(account), "points": 1_200, "changed": true, "devices": 1]
    )

    fileprivate static let push = AnswerExample(
        "WalletPush",
        "phones are being woken",
        ["object": "walletPush", "passType": .string(passType)]
    )

    fileprivate static let member = AnswerExample("WalletMember", "a member", memberValue)

    fileprivate static let members = AnswerExample(
        "WalletMembers",
        "a page of members",
        ["object": "list", "data": [memberValue], "nextCursor": .string(account), "hasMore": false]
    )

    private static let memberValue: JSONValue = [
        "object": "walletMember", "accountId": .string(account), "externalId": "customer-4711", "name": "山田 花子",
        "points": 1_200, "createdAt": "2026-11-28T09:00:00Z", "state": "installed",
        "passes": [
            [
                "passType": .string(passType), "serialNumber": .string(serial), "template": "member",
                "state": "installed", "version": 2, "devices": 1, "createdAt": "2026-11-28T09:00:00Z",
                "modifiedAt": "2026-11-28T09:05:00Z", "registeredAt": "2026-11-28T09:01:00Z",
            ]
        ],
    ]
}
