import Accounts
import HTTPCore
import Primitives
import ServiceAPI
import StrictJSON
import Web

// What is known of the paths of the sample.
extension RouteDescription {
    static let sampleIssue = sample(.post, "/member", "sampleIssue", .walletWrite, "make a member and a card", issue)

    static let sampleList = sample(.get, "/member", "sampleList", .walletRead, "list members", list)

    static let sampleMember = sample(
        .get,
        "/member/{member}",
        "sampleMember",
        .walletRead,
        "read a member",
        Shape(.ok, .named(.member), .member)
    )

    static let samplePoints = sample(
        .post,
        "/member/{member}/point/{points:any}",
        "samplePoints",
        .walletWrite,
        "set a member's points to the number in the path",
        points
    )

    static let sampleChange = sample(
        .post,
        "/member/{member}/point",
        "sampleChange",
        .walletWrite,
        "set a member's points or add to them",
        change
    )

    static let sampleEnd = sample(
        .delete,
        "/member/{member}",
        "sampleEnd",
        .walletWrite,
        "end a membership",
        Shape(.ok, .named(.member), .member)
    )

    static let samplePush = sample(
        .post,
        "/pass-type/{passType}/push",
        "samplePush",
        .walletWrite,
        "wake all phones with passes of a type",
        push
    )

    private static func sample(
        _ method: HTTPMethod,
        _ path: RoutePattern,
        _ name: String,
        _ scope: Scope,
        _ summary: String,
        _ shape: Shape
    ) -> RouteDescription {
        RouteDescription(method, path, name, .sample, scope, summary, shape)
    }

    private static var issue: Shape {
        var shape = Shape([Answer(.created, .named(.card), .card), Answer(.ok, .named(.card), .card)])
        shape.body = .object([
            .optional("id", Account.externalIDSchema, "your own id of the person"),
            .optional("name", .printable(MemberDraft.nameLength), "as the card shows it"),
            .optional("points", .integer(0...MemberDraft.greatestPoints), "of a new member; default: 0"),
            .optional(
                "template",
                .text(MemberDraft.templateLength),
                "of several; default: the one that the operator names, or the only one"
            ),
            .optional("fields", MemberDraft.fieldSchema, "what else the template shows"),
        ])
        shape.example = #"{"name":"山田 花子"}"#
        shape.claim = .optional("stands for an `id` that is absent: a repeat under this key finds the same member")
        shape.bodyLimit = 65_536
        shape.problems = [.membershipEnded]
        return shape
    }

    private static var list: Shape {
        let members = Schema.object([
            .required("members", .list(.named(.member), 0...100)),
            .required("next", .nullable(.text(36...36)), "`after` of the next page; `null` on the last one"),
        ])
        var shape = Shape(.ok, members, .members)
        shape.query = RouteDescription.listMembers.shape.query
        shape.problems = [.invalidCursor]
        return shape
    }

    private static let once = "a repeat under this key has no second effect and gets the same answer"

    private static var points: Shape {
        var shape = Shape(.ok, .named(.points), .points)
        shape.claim = .optional(once)
        shape.bodyLimit = 4_096
        shape.problems = [.membershipEnded, .idempotencyKeyReused]
        return shape
    }

    private static var change: Shape {
        var shape = points
        shape.body = RouteDescription.changePoints.shape.body
        shape.example = RouteDescription.changePoints.shape.example
        shape.problems.append(.pointsOutOfRange)
        return shape
    }

    private static var push: Shape {
        var shape = Shape(.accepted, .object([.required("pass_type", .text(1...256))]), .push)
        shape.claim = .none
        shape.bodyLimit = 4_096
        return shape
    }
}

extension RouteDescription.Group {
    fileprivate static let sample = RouteDescription.Group("walletSample", "member cards by the paths of the sample")
}

extension NamedSchema {
    fileprivate static let card = NamedSchema(
        "SampleCard",
        .object([
            .required("member_id", .text(36...36)), .required("serial_number", .text(36...36)),
            .required("wallet_url", .text(1...2_048), "opens the card on a phone; whoever has it can install the card"),
        ])
    )

    fileprivate static let points = NamedSchema(
        "SamplePoints",
        .object([
            .required("changed", .flag, "whether they are others than before"),
            .required("points", .integer(0...MemberDraft.greatestPoints), "those of afterwards"),
            .required("devices", .integer(0...1_000_000), "how many phones are woken"),
        ])
    )

    fileprivate static let member = NamedSchema(
        "SampleMember",
        .object([
            .required("member_id", .text(36...36)), .optional("id", .text(1...128)), .optional("name", .text(0...200)),
            .required("points", .integer(0...MemberDraft.greatestPoints)),
            .optional("state", .word(MemberQuery.states.map(\.string))), .optional("serial_number", .text(36...36)),
            .optional("version", .integer(1...Int(Int32.max))), .optional("devices", .integer(0...1_000_000)),
            .optional("link_opened_at", .time),
            .optional("events", .list(.any, 0...50), "the newest first; only of a member that is read alone"),
        ])
    )
}

extension AnswerExample {
    private static let account = "0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70"
    private static let serial = "4F3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90"

    fileprivate static let card = AnswerExample(
        "SampleCard",
        "a card and its link",
        [
            "member_id": .string(account),
            "wallet_url": .string("https://shop.example.com/wallet/\(account)?k=2vQ0YhXo7mYp3w5kT1uJ9A"),
            "serial_number": .string(serial),
        ]
    )

    fileprivate static let points = AnswerExample(
        "SamplePoints",
        "points of afterwards",
        ["changed": true, "points": 1_200, "devices": 1]
    )

    fileprivate static let push = AnswerExample(
        "SamplePush",
        "phones are being woken",
        ["pass_type": "pass.com.example.shop.member"]
    )

    fileprivate static let member = AnswerExample("SampleMember", "a member", memberValue)

    fileprivate static let members = AnswerExample(
        "SampleMembers",
        "a page of members",
        ["members": [memberValue], "next": nil]
    )

    private static let memberValue: JSONValue = [
        "member_id": .string(account), "id": "customer-4711", "name": "山田 花子", "points": 1_200, "state": "installed",
        "serial_number": .string(serial), "version": 2, "devices": 1,
    ]
}
