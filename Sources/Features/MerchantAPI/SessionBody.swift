package import Commerce
package import MerchantOrders
package import Primitives
package import ServiceAPI
import SessionBroker
package import StrictJSON

/// What a merchant sees of a session, ready to be rendered.
package struct SessionBody: Sendable {
    private let order: MerchantOrder
    private let lines: JSONValue
    private let adjustments: JSONValue
    /// `null` where the prices exclude tax.
    private let taxes: JSONValue
    private let metadata: JSONValue
    private let restrictions: JSONValue
    /// Who buys and where to; only in the answer to a complete or finalize.
    package var buyer: JSONValue?

    /// A session that has just been opened.
    ///
    /// - Parameters:
    ///   - environment: `sandbox` or `live`.
    ///   - hasDelivery: Whether something is sent.
    ///   - account: Whose it is, where that was said.
    package init(
        opened id: UUIDBytes,
        client: String,
        environment: String,
        _ draft: OrderDraft,
        hasDelivery: Bool = true,
        account: UUIDBytes? = nil,
        times: MerchantOrder.Times
    ) {
        var sums = MerchantOrder.Sums(subtotal: draft.subtotal, tax: draft.tax)
        if case .fixed(let sum) = draft.postage { sums.postage = sum }
        sums.total = draft.total
        let bases = draft.bases(with: sums.postage)
        if let bases { sums.tax = Money(units: bases.tax, draft.currency) ?? draft.tax }
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
        order.hasDelivery = hasDelivery
        order.account = account
        order.hasUniqueReference = draft.options.hasUniqueReference
        if bases != nil { order.postageRate = draft.options.postageRate.rawValue }
        taxes = bases.map { JSONValue(taxes: $0, draft.currency) } ?? .null
        self.order = order
        // Rendered from the draft: it is not stored yet.
        lines = .array(draft.lines.map { line in SessionBody.json(line) { JSONValue(money: $0) } })
        adjustments = .array(draft.options.adjustments.map { JSONValue(adjustment: $0, draft.currency) })
        metadata = SessionBody.metadata(draft)
        restrictions = draft.options.restrictions.map(\.json) ?? .null
    }

    /// A session as the store has it.
    package init(_ order: MerchantOrder) {
        self.order = order
        // Written by the program: what cannot be read is shown as absent, not as a failure of the whole answer.
        lines = (try? JSONParser.parse(order.lines)) ?? []
        adjustments = order.adjustments.flatMap { try? JSONParser.parse($0) } ?? []
        taxes = order.taxes.flatMap { try? JSONParser.parse($0) } ?? .null
        metadata = order.metadata.flatMap { try? JSONParser.parse($0) } ?? [:]
        restrictions = order.restrictions.flatMap { try? JSONParser.parse($0) } ?? .null
    }

    /// The lines of a draft as they are stored: sums in minor units.
    package static func storedLines(_ draft: OrderDraft) -> JSONValue {
        .array(
            draft.lines.map { line in
                json(line) { JSONValue(Int($0.units)) }
            }
        )
    }

    /// The adjustments of a draft as they are stored: minor units.
    ///
    /// - Returns: A list, or `nil` for none.
    package static func storedAdjustments(_ draft: OrderDraft) -> JSONValue? {
        let adjustments = draft.options.adjustments
        guard !adjustments.isEmpty else { return nil }
        return .array(
            adjustments.map {
                .object(
                    [JSONMember("name", .string($0.name)), JSONMember("amount", JSONValue(Int($0.units)))]
                        + JSONMember.taxRate($0.taxRate)
                )
            }
        )
    }

    /// What is paid at each rate of a draft but for the postage, and at which rate that is taxed, as they are stored.
    ///
    /// - Returns: An object, or `nil` where the prices exclude tax.
    package static func storedTaxes(_ draft: OrderDraft) -> JSONValue? {
        guard let bases = draft.bases else { return nil }
        let sums = TaxRate.allCases.map { JSONMember(String($0.rawValue), JSONValue(Int(bases[$0]))) }
        return .object(sums + [JSONMember("postage", JSONValue(draft.options.postageRate.rawValue))])
    }

    /// The merchant's own of a draft, sorted by name.
    package static func metadata(_ draft: OrderDraft) -> JSONValue {
        .object(
            draft.options.metadata.sorted { $0.key < $1.key }.map { JSONMember($0.key.string, .string($0.value)) }
        )
    }

    /// The session as JSON, always with the same members in the same order.
    package var json: JSONValue {
        var members = [
            .kind("session"), JSONMember("id", .string(order.webviewSession.description)),
            JSONMember("number", .string(OrderNumber(order.webviewSession).description)),
            JSONMember("reference", .string(order.reference)), JSONMember("state", .string(order.state.rawValue)),
            JSONMember("client", .string(order.client)), JSONMember("environment", .string(order.environment)),
            JSONMember("currency", .string(order.currency.rawValue)),
            JSONMember("pricesIncludeTax", .bool(order.postageRate != nil)),
            JSONMember("lines", lines),
            JSONMember("adjustments", adjustments),
            JSONMember("postageTaxRate", order.postageRate.map { JSONValue($0) } ?? .null),
            JSONMember("amounts", order.sums.json(taxes)),
            JSONMember("checkoutSessionId", JSONValue(order.checkoutSession)),
            JSONMember("chargePermissionId", JSONValue(order.permission)),
            JSONMember("charges", .array(order.charges.map { JSONValue(charge: $0, refunds: order.refunds) })),
            JSONMember("lastDecline", JSONValue(decline: order.lastDecline)),
            JSONMember("metadata", metadata), JSONMember("note", JSONValue(order.note)),
            JSONMember("captureMode", JSONValue(order.captureMode)),
            JSONMember("returnUrl", JSONValue(order.returnURL)),
            JSONMember("delivery", order.hasDelivery.map { JSONValue.bool($0) } ?? .null),
            JSONMember("deliveryRestrictions", restrictions),
            JSONMember("uniqueReference", order.hasUniqueReference.map { .bool($0) } ?? .null),
            JSONMember("closeReason", JSONValue(order.closeReason)),
            JSONMember("createdAt", JSONValue(time: order.times.created)),
            JSONMember("updatedAt", JSONValue(time: order.times.updated)),
            JSONMember("expiresAt", JSONValue(optionalTime: order.times.expires)),
        ]
        if let account = order.account { members.append(JSONMember("accountId", .string(account.description))) }
        if order.needsAttention { members.append(JSONMember("needsAttention", true)) }
        if let buyer { members.append(JSONMember("buyer", buyer)) }
        return .object(members)
    }

    private static func json(_ line: DraftLine, _ money: (Money) -> JSONValue) -> JSONValue {
        .object(
            [
                JSONMember("id", .string(line.id)), JSONMember("name", .string(line.name)),
                JSONMember("unitPrice", money(line.unitPrice)), JSONMember("quantity", JSONValue(line.quantity)),
            ] + JSONMember.taxRate(line.taxRate) + [JSONMember("sum", money(line.sum))]
        )
    }
}

extension OrderDraft {
    /// What is paid at each rate, with the postage where it is known; `nil` where the prices exclude tax.
    fileprivate func bases(with postage: Money?) -> TaxBases? {
        guard let bases, let postage = postage.flatMap({ Yen(exactly: $0.units) }) else { return bases }
        return bases.adding(postage, at: options.postageRate)
    }
}

extension JSONValue {
    /// What is paid at each rate and the tax in it.
    fileprivate init(taxes bases: TaxBases, _ currency: Currency) {
        self = .array(
            bases.rates.map { rate in
                [
                    "rate": JSONValue(rate.rawValue), "taxable": JSONValue(units: bases[rate], currency),
                    "amount": JSONValue(units: bases.tax(at: rate), currency),
                ]
            }
        )
    }

    private init(units: Int64, _ currency: Currency) {
        self.init(optionalMoney: Money(units: units, currency))
    }
}

extension MerchantOrder.Sums {
    fileprivate func json(_ taxes: JSONValue) -> JSONValue {
        [
            "subtotal": JSONValue(money: subtotal), "tax": JSONValue(money: tax), "taxes": taxes,
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
        .kind("session"), .required("id", .text(36...36)),
        .required("number", .text(11...11), "the number that the buyer sees on every page of the order"),
        .required("reference", .text(1...100), "your name for the order"),
        .required("state", .word(OrderState.allCases.map(\.rawValue))),
        .required("client", .word(SessionRequest.clients + ["browser"])),
        .required("environment", .word(["sandbox", "live"]), "of the payment provider"),
        .required("currency", .word([Currency.jpy.rawValue])),
        .required("pricesIncludeTax", .flag, "true: all sums contain tax, and none comes on top of `subtotal`"),
        .required(
            "lines",
            .list(
                .object([
                    .required("id", .text(1...64)), .required("name", .text(1...120)), .required("unitPrice", .money),
                    .required("quantity", .integer(1...DraftLine.maximumQuantity)),
                    .optional("taxRate", .taxRate, "always with `pricesIncludeTax`, never without"),
                    .required("sum", .money),
                ]),
                1...OrderDraft.maximumLines
            )
        ),
        .required(
            "adjustments",
            .list(
                .object([
                    .required("name", .text(1...120)), .required("amount", .signedMoney),
                    .optional("taxRate", .taxRate, "if it was sent"),
                ]),
                0...OrderDraft.maximumAdjustments
            ),
            "added to the lines and their tax, or subtracted with a minus"
        ),
        .required("postageTaxRate", .nullable(.taxRate), "`null` without `pricesIncludeTax`"),
        .required(
            "amounts",
            .object([
                .required("subtotal", .money, "the lines; with tax if `pricesIncludeTax`, else without"),
                .required("tax", .money, "with `pricesIncludeTax` the sum of `taxes`, in the total already"),
                .required(
                    "taxes",
                    .nullable(.list(tax, 0...TaxRate.allCases.count)),
                    "per rate, the postage included once it is known; `null` without `pricesIncludeTax`"
                ),
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
        .required("delivery", .nullable(.flag), "whether something is sent to an address; `null` as `captureMode`"),
        .required(
            "deliveryRestrictions",
            .nullable(.named(.deliveryRestrictions)),
            "as they were sent; `null` for none, and as `captureMode`"
        ),
        .required("uniqueReference", .nullable(.flag), "as it was sent, or false; `null` as `captureMode`"),
        .required(
            "closeReason",
            .nullable(.text(1...255)),
            "the `reason` with which closeSession ended the permission"
        ),
        .required("createdAt", .time), .required("updatedAt", .time),
        .required(
            "expiresAt",
            .nullable(.time),
            "when the session ends by itself; steps of the buyer move it. `null` once it is being paid, is paid, or has ended"
        ),
        .optional("accountId", .text(36...36), "as it was sent; absent otherwise, and once the account is erased"),
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

extension Schema {
    /// A rate of the consumption tax.
    static let taxRate = Schema.number(TaxRate.allCases.map(\.rawValue))
}

extension NamedSchema {
    private static let tax = Schema.object([
        .required("rate", .taxRate, "in per cent; 8 is the reduced rate"),
        .required("taxable", .money, "everything that is paid at this rate, tax included"),
        .required("amount", .money, "the tax in it, rounded down once"),
    ])
}

extension Money {
    /// No money at all.
    ///
    /// - Returns: Zero.
    package static func nothing(_ currency: Currency) -> Money {
        guard let zero = Money(units: 0, currency) else { preconditionFailure("zero is a sum") }
        return zero
    }
}
