package import Commerce
package import MerchantOrders
package import Primitives
package import StrictJSON

/// What a merchant sees of a session, ready to be rendered.
package struct SessionBody: Sendable {
    private let order: MerchantOrder
    private let lines: JSONValue
    private let adjustments: JSONValue
    private let metadata: JSONValue
    /// Who buys and where to; only in the answer to a complete or finalize.
    package var buyer: JSONValue?

    /// A session that has just been opened.
    ///
    /// - Parameters:
    ///   - id: Names it.
    ///   - client: Whose buyer it is.
    ///   - environment: `sandbox` or `live`.
    ///   - draft: What is sold.
    ///   - times: Points in its life.
    package init(
        opened id: UUIDBytes,
        client: String,
        environment: String,
        _ draft: OrderDraft,
        times: MerchantOrder.Times
    ) {
        var sums = MerchantOrder.Sums(subtotal: draft.subtotal, tax: draft.tax)
        if case .fixed(let sum) = draft.postage { sums.postage = sum }
        sums.total = draft.total
        var order = MerchantOrder(
            webviewSession: id,
            reference: draft.reference ?? id.description,
            state: .created,
            sums: sums,
            times: times
        )
        order.client = client
        order.environment = environment
        order.note = draft.options.note
        order.captureMode = draft.options.captureMode.rawValue
        order.returnURL = draft.options.returnURL
        self.order = order
        // Rendered from the draft: it is not stored yet.
        lines = .array(draft.lines.map(SessionBody.json))
        adjustments = .array(draft.options.adjustments.map { JSONValue(adjustment: $0, draft.currency) })
        metadata = SessionBody.metadata(draft)
    }

    /// A session as the store has it.
    ///
    /// - Parameter order: With its charges.
    package init(_ order: MerchantOrder) {
        self.order = order
        // Written by the program: what cannot be read is shown as absent, not as a failure of the whole answer.
        lines = (try? JSONParser.parse(order.lines)) ?? []
        adjustments = order.adjustments.flatMap { try? JSONParser.parse($0) } ?? []
        metadata = order.metadata.flatMap { try? JSONParser.parse($0) } ?? [:]
    }

    /// The lines of a draft as they are stored: sums in minor units.
    ///
    /// - Parameter draft: What is sold.
    /// - Returns: A list.
    package static func storedLines(_ draft: OrderDraft) -> JSONValue {
        .array(
            draft.lines.map { line in
                [
                    "id": .string(line.id), "name": .string(line.name),
                    "unitPrice": JSONValue(Int(line.unitPrice.units)), "quantity": JSONValue(line.quantity),
                    "sum": JSONValue(Int(line.sum.units)),
                ]
            }
        )
    }

    /// The adjustments of a draft as they are stored: minor units.
    ///
    /// - Parameter draft: What is sold.
    /// - Returns: A list, or `nil` for none.
    package static func storedAdjustments(_ draft: OrderDraft) -> JSONValue? {
        let adjustments = draft.options.adjustments
        guard !adjustments.isEmpty else { return nil }
        return .array(adjustments.map { ["name": .string($0.name), "amount": JSONValue(Int($0.units))] })
    }

    /// The merchant's own of a draft, sorted by name.
    ///
    /// - Parameter draft: What is sold.
    /// - Returns: An object.
    package static func metadata(_ draft: OrderDraft) -> JSONValue {
        .object(
            draft.options.metadata.sorted { $0.key < $1.key }.map { JSONMember($0.key.string, .string($0.value)) }
        )
    }

    /// The session as JSON, always with the same members in the same order.
    package var json: JSONValue {
        var members = [
            JSONMember("id", .string(order.webviewSession.description)),
            JSONMember("reference", .string(order.reference)), JSONMember("state", .string(order.state.rawValue)),
            JSONMember("client", .string(order.client)), JSONMember("environment", .string(order.environment)),
            JSONMember("currency", .string(order.currency.rawValue)),
            JSONMember("lines", lines),
            JSONMember("adjustments", adjustments),
            JSONMember("amounts", order.sums.json),
            JSONMember("checkoutSessionId", JSONValue(order.checkoutSession)),
            JSONMember("chargePermissionId", JSONValue(order.permission)),
            JSONMember("charges", .array(order.charges.map { JSONValue(charge: $0, refunds: order.refunds) })),
            JSONMember("lastDecline", JSONValue(decline: order.lastDecline)),
            JSONMember("metadata", metadata), JSONMember("note", JSONValue(order.note)),
            JSONMember("captureMode", JSONValue(order.captureMode)),
            JSONMember("returnUrl", JSONValue(order.returnURL)),
            JSONMember("createdAt", JSONValue(time: order.times.created)),
            JSONMember("updatedAt", JSONValue(time: order.times.updated)),
            JSONMember("expiresAt", JSONValue(optionalTime: order.times.expires)),
        ]
        if order.needsAttention { members.append(JSONMember("needsAttention", true)) }
        if let buyer { members.append(JSONMember("buyer", buyer)) }
        return .object(members)
    }

    private static func json(_ line: DraftLine) -> JSONValue {
        [
            "id": .string(line.id), "name": .string(line.name), "unitPrice": JSONValue(money: line.unitPrice),
            "quantity": JSONValue(line.quantity), "sum": JSONValue(money: line.sum),
        ]
    }
}

extension MerchantOrder.Sums {
    fileprivate var json: JSONValue {
        [
            "subtotal": JSONValue(money: subtotal), "tax": JSONValue(money: tax),
            "postage": JSONValue(optionalMoney: postage), "total": JSONValue(optionalMoney: total),
            "captured": JSONValue(money: captured), "refunded": JSONValue(money: refunded),
        ]
    }
}

/// What the merchant's program hands to the buyer's app or browser; only in the answer that opens a session.
package struct LaunchBody: Sendable {
    /// Token A, once and for the buyer's tab only.
    package let ticket: String
    /// Where the tab goes.
    package let url: String
    /// Token P, kept by the merchant's server, bound to its own login session; `nil` where it has it already.
    package let proof: String?
    /// Until when the ticket opens.
    package let expires: WallTime

    /// What opens the tab.
    ///
    /// - Parameters:
    ///   - ticket: Token A.
    ///   - url: Where the tab goes.
    ///   - proof: Token P.
    ///   - expires: Until when the ticket opens.
    package init(ticket: String, url: String, proof: String?, expires: WallTime) {
        self.ticket = ticket
        self.url = url
        self.proof = proof
        self.expires = expires
    }

    /// The member `launch`.
    package var json: JSONValue {
        var members = [JSONMember("ticket", .string(ticket)), JSONMember("url", .string(url))]
        if let proof { members.append(JSONMember("appProof", .string(proof))) }
        members.append(JSONMember("expiresAt", JSONValue(time: expires)))
        return .object(members)
    }
}

extension NamedSchema {
    /// A session as merchants see it.
    package static let session = NamedSchema("Session", .object(sessionMembers))

    /// A session that was just opened.
    package static let openedSession = NamedSchema(
        "OpenedSession",
        .object(
            sessionMembers + [
                .required("launch", .either([tabLaunch, appLaunch]), "the second form for client `mobileApp`")
            ]
        )
    )

    private static let tabLaunch = Schema.object([
        .required("ticket", .text(68...68), "launch ticket for the buyer's tab; it opens once"),
        .required("url", .address, "address that the tab opens; contains the ticket"),
        .optional("appProof", .text(47...47), "stays with your server, bound to the buyer's login"),
        .required("expiresAt", .time, "end of the time in which the ticket can be opened"),
    ])

    private static let appLaunch = Schema.object([
        .required("mobile", MobileLaunch.schema, "for the provider's library in your app"),
        .required("appProof", .text(47...47), "stays with your server, bound to the buyer's login"),
        .required("expiresAt", .time, "end of the time in which the session can be finalized"),
    ])

    static let sessionMembers: [SchemaMember] = [
        .required("id", .text(36...36)), .required("reference", .text(1...100), "your name for the order"),
        .required("state", .word(OrderState.allCases.map(\.rawValue))),
        .required("client", .word(SessionRequest.clients + ["browser"])),
        .required("environment", .word(["sandbox", "live"]), "of the payment provider"),
        .required("currency", .word([Currency.jpy.rawValue])),
        .required(
            "lines",
            .list(
                .object([
                    .required("id", .text(1...64)), .required("name", .text(1...120)), .required("unitPrice", .money),
                    .required("quantity", .integer(1...DraftLine.maximumQuantity)), .required("sum", .money),
                ]),
                1...OrderDraft.maximumLines
            )
        ),
        .required(
            "adjustments",
            .list(
                .object([.required("name", .text(1...120)), .required("amount", .signedMoney)]),
                0...OrderDraft.maximumAdjustments
            ),
            "added to the lines and their tax, or subtracted with a minus"
        ),
        .required(
            "amounts",
            .object([
                .required("subtotal", .money, "the lines, tax excluded"), .required("tax", .money),
                .required("postage", .nullable(.money)), .required("total", .nullable(.money)),
                .required("captured", .money), .required("refunded", .money),
            ])
        ),
        .required("checkoutSessionId", .nullable(.text(1...64))),
        .required("chargePermissionId", .nullable(.text(1...64))),
        .required("charges", .list(.named(.charge), 0...LedgerRules.charges)),
        .required(
            "lastDecline",
            .nullable(.named(.decline)),
            "the last payment that was declined, also if another one was made since; `null` if none was"
        ),
        .required("metadata", .texts(OrderDraft.maximumMetadata)), .required("note", .nullable(.text(0...255))),
        .required(
            "captureMode",
            .nullable(.word(CaptureMode.allCases.map(\.rawValue))),
            "`null` for the built-in shop, and 90 days after the month of the session"
        ),
        .required("returnUrl", .nullable(.text(1...2_048)), "as it was sent; `null` as `captureMode`"),
        .required("createdAt", .time), .required("updatedAt", .time),
        .required(
            "expiresAt",
            .nullable(.time),
            "when the session ends by itself; steps of the buyer move it. `null` once it is being paid, is paid, or has ended"
        ),
        .optional(
            "needsAttention",
            .flag,
            "true while an operator has to decide about the payment or an operation on it; otherwise absent"
        ),
        .optional(
            "buyer",
            .named(.buyer),
            "only in the answer to a complete or finalize, for 15 minutes; after that use `readBuyer`"
        ),
    ]
}

extension Money {
    /// No money at all.
    ///
    /// - Parameter currency: Of it.
    /// - Returns: Zero.
    package static func nothing(_ currency: Currency) -> Money {
        guard let zero = Money(units: 0, currency) else { preconditionFailure("zero is a sum") }
        return zero
    }
}
