import Accounts
import CheckoutCodes
import Commerce
import HTTPCore
import MerchantOrders
package import ServiceAPI
import Web

extension RouteDescription.Group {
    /// Orders of buyers.
    package static let sessions = RouteDescription.Group(
        "sessions",
        "one order of one buyer each, from its opening to its payment"
    )
    /// Money of paid sessions.
    package static let payments = RouteDescription.Group(
        "payments",
        "charges, captures and refunds of paid sessions"
    )
    /// What has happened.
    package static let events = RouteDescription.Group("events", "what has happened to sessions and payments")
}

extension RouteDescription.Claim {
    /// The session remembers what became of the request.
    static let remembered = RouteDescription.Claim.unused(
        "a session is paid only once, and a repeat gets the current state of the session"
    )
}

extension RouteDescription {
    /// Opens a session.
    package static let createSession = RouteDescription(
        .post,
        "/v1/sessions",
        "createSession",
        .sessions,
        .sessionsWrite,
        "open a session for one order of one buyer",
        creation
    )

    /// Reads a session.
    package static let readSession = RouteDescription(
        .get,
        "/v1/sessions/{id}",
        "readSession",
        .sessions,
        .sessionsRead,
        "read a session",
        Shape(.ok, .session, .session)
    )

    /// Reads the buyer of a session.
    package static let readBuyer = RouteDescription(
        .get,
        "/v1/sessions/{id}/buyer",
        "readBuyer",
        .sessions,
        .buyersRead,
        "read buyer and address at the payment provider, for 30 days",
        buyer
    )

    /// Lists sessions.
    package static let listSessions = RouteDescription(
        .get,
        "/v1/sessions",
        "listSessions",
        .sessions,
        .sessionsRead,
        "list sessions, the newest first",
        list
    )

    /// Completes a session.
    package static let completeSession = RouteDescription(
        .post,
        "/v1/sessions/{id}/complete",
        "completeSession",
        .sessions,
        .sessionsWrite,
        "complete the payment, after the buyer has returned to your server",
        completion
    )

    /// Finalizes a session that an app started by itself.
    package static let finalizeSession = RouteDescription(
        .post,
        "/v1/sessions/{id}/finalize",
        "finalizeSession",
        .sessions,
        .sessionsWrite,
        "confirm the payment of a `mobileApp`, once its buyer is back",
        finalization
    )

    /// Cancels a session.
    package static let cancelSession = RouteDescription(
        .post,
        "/v1/sessions/{id}/cancel",
        "cancelSession",
        .sessions,
        .sessionsWrite,
        "end a session that is not paid",
        cancellation
    )

    /// Names of the parameters of the list.
    package static let listParameters =
        ListForm.parameters + ["state", "updatedAfter", "createdAfter", "createdBefore"] + nameParameters

    /// Names of those that name an order.
    package static let nameParameters = ["reference"] + LookUpParameter.allCases.map(\.rawValue)

    /// A parameter of the list that finds one session by an id of its order or of its payment.
    package enum LookUpParameter: String, Sendable, CaseIterable {
        /// The number that the buyer sees.
        case number
        /// The provider's id of the checkout session.
        case checkoutSessionId
        /// The provider's id of the permission to charge.
        case chargePermissionId
        /// The provider's id of a charge.
        case chargeId
        /// The provider's id of a refund.
        case refundId

        /// How its text looks, for people.
        package var form: String {
            switch self {
            case .number: "A number such as 4F7K9-2QX8M"
            case .checkoutSessionId: "36 characters of a UUID in lower case"
            case .chargePermissionId: "An id such as S03-1234567-1234567"
            case .chargeId: "An id such as S03-1234567-1234567-C123456"
            case .refundId: "An id such as S03-1234567-1234567-R123456"
            }
        }

        fileprivate var parameter: QueryParameter {
            let (pattern, meaning) =
                switch self {
                case .number:
                    (
                        SchemaPattern.number,
                        "the session whose order has this number, which the buyer sees; in either case, with or without the dash"
                    )
                case .checkoutSessionId:
                    (SchemaPattern.checkoutSession, "the session whose order was placed with this checkout session")
                case .chargePermissionId: (SchemaPattern.permission, "the session that was paid with this permission")
                case .chargeId: (SchemaPattern.charge, "the session of this charge")
                case .refundId: (SchemaPattern.refund, "the session of this refund")
                }
            return QueryParameter(rawValue, .matching(pattern), meaning)
        }
    }

    private static var creation: Shape {
        var shape = Shape(.created, .named(.openedSession), .openedSession)
        let members: [SchemaMember] = [
            .required(
                "reference",
                .printable(1...100),
                "your name for the order; Amazon's console, settlement report and mail to the buyer show it"
            ),
            .required(
                "client",
                .word(SessionRequest.clients),
                "where the buyer is; `site` needs returnUrl, `mobileApp` needs mobile"
            ),
            .required("currency", .word([Currency.jpy.rawValue])),
            .required("lines", .list(.named(.line), 1...OrderDraft.maximumLines), "each line has its own id"),
            .optional(
                "pricesIncludeTax",
                .flag,
                "true: all prices include tax, and each line has a `taxRate`; default: false, prices without tax, and one `tax`"
            ),
            .optional("tax", .money, "tax on all lines together; only without `pricesIncludeTax`"),
            .optional(
                "adjustments",
                .list(.named(.adjustment), 0...OrderDraft.maximumAdjustments),
                "discounts, points, coupons and fees; something has to be left to pay. A postage that is an `amount` may be paid by discounts, that of a `callback` may not"
            ),
            .optional(
                "delivery",
                .flag,
                "false: nothing is sent, as with a download or a ticket; the buyer is asked for no address. Default: true"
            ),
            .optional(
                "deliveryRestrictions",
                .named(.deliveryRestrictions),
                "addresses that buyers can choose at Amazon; default: all in Japan. Other countries are never served"
            ),
            .optional(
                "postage",
                .named(.postage),
                "shipping cost as an amount, or the address of your server that returns it for the buyer's address; required unless `delivery` is false"
            ),
            .optional("returnUrl", .address, "address to which a buyer in a browser returns"),
            .optional("mobile", mobile, "links and address for the provider's library in your app"),
            .optional(
                "codeChallenge",
                .matching(SchemaPattern.bytes32),
                "S256 of a verifier that the app holds, RFC 7636"
            ),
            .optional("captureMode", .word(CaptureMode.allCases.map(\.rawValue)), "default: `manual`"),
            .optional(
                "uniqueReference",
                .flag,
                "true: the answer is 409 `reference_held` if another session of this `reference` is open or paid; default: false"
            ),
            .optional("note", .printable(0...255), "shown to the buyer before the buyer agrees, and by the provider"),
            .optional("metadata", .texts(OrderDraft.maximumMetadata), "your own data; names of at most 40 characters"),
            .optional("accountId", .text(36...36), "whose order it is: the `id` of an account of this service"),
        ]
        shape.body = .sorts(members, kinds.flatMap { kind in prices.map { kind + $0 } })
        shape.example = """
            {"reference":"A-1001","client":"site","currency":"JPY","pricesIncludeTax":true,"lines":[{"id":"sku-1",\
            "name":"Sencha","unitPrice":{"amount":"1296","currencyCode":"JPY"},"quantity":2,"taxRate":8}],"postage":\
            {"amount":{"amount":"540","currencyCode":"JPY"}},"returnUrl":"https://shop.example.com/paid"}
            """
        shape.problems = [
            .invalidAmount, .currencyNotSupported, .sumMismatch, .returnURLNotAllowed,
            .postageCallbackNotAllowed, .tooManyWebviewSessions, .replayUnavailable, .referenceHeld, .accountUnknown,
            .accountErased,
        ]
        shape.callback = Callback(
            name: "postage",
            address: "{$request.body#/postage/callback}",
            summary:
                "returns the shipping cost to the address that the buyer has chosen, or that nothing is sent there, within three seconds",
            question: .named(.postageQuestion),
            answer: .named(.postageAnswer)
        )
        return shape
    }

    /// What each client needs and may not have, with delivery and without.
    private static let kinds: [[SchemaRule]] =
        tabs.flatMap { tab in deliveries.map { tab + $0 } } + [
            // The provider shows the total before anybody is asked, and the way back is one of the links.
            [
                .word("client", [MobileRequest.client]), .present("mobile"), .absent("returnUrl"),
                .isNotFalse("delivery"),
                .absent("deliveryRestrictions"), .present("postage"), .inside("postage", [.present("amount")]),
            ]
        ]

    private static let tabs: [[SchemaRule]] = [
        [.word("client", ["iosApp", "androidApp"]), .absent("mobile")],
        [.word("client", ["site"]), .present("returnUrl"), .absent("mobile")],
    ]

    private static let deliveries: [[SchemaRule]] = [
        [.isNotFalse("delivery"), .present("postage")],
        [.isFalse("delivery"), .absent("postage"), .absent("deliveryRestrictions")],
    ]

    /// Prices without tax and with it.
    private static let prices: [[SchemaRule]] = [
        [
            .no("pricesIncludeTax"), .present("tax"), .each("lines", [.absent("taxRate")]),
            .each("adjustments", [.absent("taxRate")]), .inside("postage", [.absent("taxRate")]),
        ],
        [.yes("pricesIncludeTax"), .absent("tax"), .each("lines", [.present("taxRate")])],
    ]

    private static let mobile = Schema.object([
        .required("resultUrl", link, "link to the app after the payment; gets the checkout session"),
        .required("cancelUrl", link), .required("errorUrl", link),
        .optional("shippingAddress", .named(.postalAddress), "address of the delivery; only if goods are shipped"),
        .optional(
            MobileRequest.pendingMember,
            .flag,
            "allows the bank to decide later; finalize answers 202 until then"
        ),
    ])

    /// A link into an app.
    private static let link = Schema.matching(SchemaPattern.link, upTo: AppLinkOrigin.maximumBytes)

    private static var list: Shape {
        var shape = ListForm.shape(.sessions, of: .session, after: .matching(SchemaPattern.bytes16), length: 22...22)
        shape.query += [
            QueryParameter(
                "state",
                .word(OrderState.allCases.map(\.rawValue)),
                "only sessions in this state; a page may then be short, or empty"
            ),
            QueryParameter("reference", .printableParameter(1...100), "only sessions with this `reference`"),
            QueryParameter(
                "updatedAfter",
                .matching(SchemaPattern.time),
                "only sessions that have changed after this time; a page may then be short, or empty. See `listEvents`"
            ),
            QueryParameter(
                "createdAfter",
                .matching(SchemaPattern.time),
                "only sessions that were opened at this time or later; a page may then be short, or empty"
            ),
            QueryParameter(
                "createdBefore",
                .matching(SchemaPattern.time),
                "only sessions that were opened before this time; a page may then be short, or empty"
            ),
        ]
        shape.query += LookUpParameter.allCases.map(\.parameter)
        return shape
    }

    private static var buyer: Shape {
        var shape = Shape(.ok, .named(.buyer), .buyer)
        shape.problems = [.notReady, .purchaseInProgress, .sessionOver, .buyerUnavailable, .providerFailed]
        return shape
    }

    private static var completion: Shape {
        var shape = Shape(.ok, .session, .session)
        shape.claim = .remembered
        shape.body = .object([
            .required("returnTicket", .text(68...68), "`secureWebviewSessionId` of the return address or link"),
            .required(
                "orderReferenceId",
                .matching(SchemaPattern.checkoutSession),
                "`orderReferenceId` of the return address or link"
            ),
            .required("appProof", .text(47...47), "`launch.appProof` of this session, as your server has stored it"),
            .optional(
                "codeVerifier",
                .matching(SchemaPattern.verifier),
                "required if the session was opened with a challenge"
            ),
        ])
        // Pending, with the state; or in profile strict the tab's second opening.
        shape.answers.append(Answer(.accepted, .either([.session, .named(.openedSession)]), .payingSession))
        shape.problems = [
            .notReady, .paymentDeclined, .proofMismatch, .orderMismatch, .sessionOver,
            .providerFailed,
        ]
        return shape
    }

    private static var finalization: Shape {
        var shape = Shape(.ok, .session, .session)
        shape.claim = .remembered
        shape.body = .object([
            .required(
                "checkoutSessionId",
                .matching(SchemaPattern.checkoutSession),
                "`amazonCheckoutSessionId` of the link into the app"
            ),
            .required("appProof", .text(47...47), "`launch.appProof` of this session, as your server has stored it"),
            .optional("shippingAddress", .named(.postalAddress), "the address with which the session was opened"),
            .optional(
                "codeVerifier",
                .matching(SchemaPattern.verifier),
                "required if the session was opened with a challenge"
            ),
        ])
        shape.answers.append(Answer(.accepted, .session, .payingSession))
        shape.problems = completion.problems
        return shape
    }

    private static var cancellation: Shape {
        var shape = Shape(.ok, .session, .endedSession)
        shape.body = .object([])
        shape.example = "{}"
        shape.problems = [.alreadyPaid, .purchaseInProgress, .sessionOver]
        return shape
    }
}

// With names of their own, so that a description stays flat enough for readers that bound the depth.
extension NamedSchema {
    fileprivate static let adjustment = NamedSchema(
        "OrderAdjustment",
        .object([
            .required("name", .printable(1...120), "what the buyer reads"), .required("amount", .signedMoney),
            .optional(
                "taxRate",
                .taxRate,
                "only with `pricesIncludeTax`; without it a fee is taxed at 10, and discounts are spread over the rates"
            ),
        ])
    )

    fileprivate static let postage = NamedSchema(
        "OrderPostage",
        .sorts(
            [
                .optional("amount", .money),
                .optional("callback", .matching(SchemaPattern.callback, upTo: 2_048)),
                .optional("taxRate", .taxRate, "only with `pricesIncludeTax`; default: 10"),
            ],
            [[.present("amount"), .absent("callback")], [.present("callback"), .absent("amount")]]
        )
    )

    fileprivate static let line = NamedSchema(
        "OrderLine",
        .object([
            .required("id", .printable(1...64)), .required("name", .printable(1...120)),
            .required("unitPrice", .money, "price of one piece; with tax if `pricesIncludeTax`, else without"),
            .required("quantity", .integer(1...DraftLine.maximumQuantity)),
            .optional("taxRate", .taxRate, "in per cent; required with `pricesIncludeTax`, not allowed without"),
            .optional("sum", .money, "checked against unit price times quantity"),
        ])
    )
}
