package import Commerce
package import MerchantOrders
package import Primitives
package import StrictJSON

/// What a merchant sees of a session, ready to be rendered.
package struct SessionBody: Sendable {
    /// Sums of an order; what is not known yet is absent.
    package struct Amounts: Sendable {
        /// The lines, tax excluded.
        package var subtotal: Money
        /// The tax on the lines.
        package var tax: Money
        /// Known from the start where it is fixed, else once the buyer has chosen an address.
        package var postage: Money?
        /// What the buyer pays.
        package var total: Money?
        /// What was taken.
        package var captured: Money
        /// What was given back.
        package var refunded: Money

        /// Sums of an order.
        ///
        /// - Parameters:
        ///   - subtotal: The lines, tax excluded.
        ///   - tax: On the lines.
        ///   - postage: Where it is known.
        ///   - total: Where it is known.
        ///   - captured: What was taken.
        ///   - refunded: What was given back.
        package init(
            subtotal: Money,
            tax: Money,
            postage: Money?,
            total: Money?,
            captured: Money,
            refunded: Money
        ) {
            self.subtotal = subtotal
            self.tax = tax
            self.postage = postage
            self.total = total
            self.captured = captured
            self.refunded = refunded
        }
    }

    /// Points in the life of a session.
    package struct Times: Sendable {
        /// When it was opened.
        package var created: WallTime
        /// When it last changed.
        package var updated: WallTime
        /// When it ends by itself, unless it is paid before; `nil` for one of long ago.
        package var expires: WallTime?

        /// Points in the life of a session.
        ///
        /// - Parameters:
        ///   - created: When it was opened.
        ///   - updated: When it last changed.
        ///   - expires: When it ends by itself.
        package init(created: WallTime, updated: WallTime, expires: WallTime?) {
            self.created = created
            self.updated = updated
            self.expires = expires
        }
    }

    /// Names the session.
    package let id: UUIDBytes
    /// The merchant's name for the order.
    package let reference: String
    /// Where it stands.
    package let state: OrderState
    /// `iosApp`, `androidApp`, `site`, `mobileApp`, or `browser` for the shop's own.
    package let client: String
    /// `sandbox` or `live`.
    package let environment: String
    /// What is bought, rendered.
    package let lines: JSONValue
    /// What comes on top of the lines or is taken off, rendered.
    package var adjustments: JSONValue = []
    /// The sums.
    package let amounts: Amounts
    /// Points in its life.
    package let times: Times
    /// The provider's session, once the buyer came back from it.
    package var checkoutSession: String?
    /// What the buyer agreed to, once it is paid.
    package var chargePermission: String?
    /// Its charges, each rendered.
    package var charges: [JSONValue] = []
    /// The merchant's own: an object of texts.
    package var metadata: JSONValue = [:]
    /// Whether a person at the merchant's has to find out what became of a payment.
    package var needsAttention = false
    /// Who buys and where to; only in the answer to a complete or finalize.
    package var buyer: JSONValue?

    /// A session.
    ///
    /// - Parameters:
    ///   - id: Names it.
    ///   - order: The merchant's name for it, whose buyer it is, and the environment at the provider.
    ///   - state: Where it stands.
    ///   - lines: What is bought, rendered.
    ///   - amounts: The sums.
    ///   - times: Points in its life.
    package init(
        _ id: UUIDBytes,
        order: (reference: String, client: String, environment: String),
        state: OrderState,
        lines: JSONValue,
        amounts: Amounts,
        times: Times
    ) {
        self.id = id
        reference = order.reference
        client = order.client
        environment = order.environment
        self.state = state
        self.lines = lines
        self.amounts = amounts
        self.times = times
    }

    /// A session that has just been opened.
    ///
    /// - Parameters:
    ///   - id: Names it.
    ///   - client: Whose buyer it is.
    ///   - environment: `sandbox` or `live`.
    ///   - draft: What is sold.
    ///   - times: Points in its life.
    package init(opened id: UUIDBytes, client: String, environment: String, _ draft: OrderDraft, times: Times) {
        var postage: Money?
        if case .fixed(let sum) = draft.postage { postage = sum }
        let nothing = Money.nothing(draft.currency)
        let amounts = Amounts(
            subtotal: draft.subtotal,
            tax: draft.tax,
            postage: postage,
            total: draft.total,
            captured: nothing,
            refunded: nothing
        )
        self.init(
            id,
            order: (draft.reference ?? id.description, client, environment),
            state: .created,
            lines: .array(draft.lines.map(SessionBody.json)),
            amounts: amounts,
            times: times
        )
        metadata = SessionBody.metadata(draft)
        adjustments = .array(draft.options.adjustments.map { JSONValue(adjustment: $0, draft.currency) })
    }

    /// A session as the store has it.
    ///
    /// - Parameter order: With its charges.
    package init(_ order: MerchantOrder) {
        let amounts = Amounts(
            subtotal: order.sums.subtotal,
            tax: order.sums.tax,
            postage: order.sums.postage,
            total: order.sums.total,
            captured: order.sums.captured,
            refunded: order.sums.refunded
        )
        self.init(
            order.webviewSession,
            order: (order.reference, order.client, order.environment),
            state: order.state,
            // Written by the program: what cannot be read is shown as absent, not as a failure of the whole answer.
            lines: (try? JSONParser.parse(order.lines)) ?? [],
            amounts: amounts,
            times: Times(created: order.times.created, updated: order.times.updated, expires: order.times.expires)
        )
        checkoutSession = order.checkoutSession
        chargePermission = order.permission
        charges = order.charges.map { JSONValue(charge: $0) }
        if let text = order.adjustments, let value = try? JSONParser.parse(text) { adjustments = value }
        needsAttention = order.needsAttention
        if let text = order.metadata, let value = try? JSONParser.parse(text) { metadata = value }
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
            draft.options.metadata.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
        )
    }

    /// The session as JSON, always with the same members in the same order.
    package var json: JSONValue {
        var members = [
            JSONMember("id", .string(id.description)), JSONMember("reference", .string(reference)),
            JSONMember("state", .string(state.rawValue)), JSONMember("client", .string(client)),
            JSONMember("environment", .string(environment)),
            JSONMember("currency", .string(amounts.subtotal.currency.rawValue)),
            JSONMember("lines", lines),
            JSONMember("adjustments", adjustments),
            JSONMember("amounts", amounts.json),
            JSONMember("checkoutSessionId", JSONValue(checkoutSession)),
            JSONMember("chargePermissionId", JSONValue(chargePermission)),
            JSONMember("charges", .array(charges)),
            JSONMember("metadata", metadata),
            JSONMember("createdAt", JSONValue(time: times.created)),
            JSONMember("updatedAt", JSONValue(time: times.updated)),
            JSONMember("expiresAt", JSONValue(optionalTime: times.expires)),
        ]
        if needsAttention { members.append(JSONMember("needsAttention", true)) }
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

extension SessionBody.Amounts {
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
                .required("launch", .either([tabLaunch, appLaunch]), "the second for a `mobileApp`")
            ]
        )
    )

    private static let tabLaunch = Schema.object([
        .required("ticket", .text(68...68), "for the buyer's tab, once"),
        .required("url", .address, "where the tab goes; holds the ticket"),
        .optional("appProof", .text(47...47), "stays with your server, bound to the buyer's login"),
        .required("expiresAt", .time, "until when the ticket opens"),
    ])

    private static let appLaunch = Schema.object([
        .required("mobile", MobileLaunch.schema, "for the provider's library in your app"),
        .required("appProof", .text(47...47), "stays with your server, bound to the buyer's login"),
        .required("expiresAt", .time, "until when the session can be finalized"),
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
            "on top of the lines and their tax, or taken off"
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
        .required("metadata", .texts(OrderDraft.maximumMetadata)),
        .required("createdAt", .time), .required("updatedAt", .time),
        .required("expiresAt", .nullable(.time), "when it ends by itself; later with each step of the buyer"),
        .optional(
            "needsAttention",
            .flag,
            "true while the outcome of its payment, or of an operation on it, is left to a person; else absent"
        ),
        .optional(
            "buyer",
            .named(.buyer),
            "only in the answer to a complete or finalize, and for a quarter of an hour; then `readBuyer` tells"
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
