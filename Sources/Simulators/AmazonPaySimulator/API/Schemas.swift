import SimulatorCore

/// The bodies of the operations, member by member.
enum Schemas {
    static let price = Shape.whole(["amount", "currencyCode"]) { Price($0) != nil }

    static let createSession: [Shape.Member] = session(webCheckoutDetails)

    /// The payload of the button: like a create request, and what only a browser may ask for.
    static let button: [Shape.Member] = session(
        webCheckoutDetails + [.init("checkoutMode", .oneOf(["ProcessOrder"]))]
    )

    static let updateSession: [Shape.Member] = [
        .init("webCheckoutDetails", .object(webCheckoutDetails)), .init("paymentDetails", .object(paymentDetails)),
        .init("merchantMetadata", .object(merchantMetadata)), .init("recurringMetadata", .object(recurring)),
        .init("supplementaryData", .text(20_000)), .init("platformId", .text(100)), .init("providerMetadata", provider),
        .init(
            "multiAddressesCheckoutMetadata",
            .list(of: .object([.init("addressId", .text(100), isRequired: true), .init("price", price)]), limit: 100)
        ),
    ]

    static let completeSession: [Shape.Member] = [.init("chargeAmount", price), .init("totalOrderAmount", price)]

    /// Which members are required depends on the session.
    static let finalizeSession: [Shape.Member] =
        completeSession + [
            .init("paymentIntent", .oneOf(["Confirm", "Authorize", "AuthorizeWithCapture"])),
            .init("canHandlePendingAuthorization", .flag), .init("supplementaryData", .text(20_000)),
            .init("shippingAddress", .object(address)), .init("billingAddress", .object(address)),
        ]

    /// The payload of a button that only signs in.
    static let signIn: [Shape.Member] = [
        .init("signInReturnUrl", .url(512), isRequired: true), .init("signInCancelUrl", .url(512)),
        .init("storeId", .text(100), isRequired: true),
        .init("signInScopes", .list(of: .oneOf(SimulatedSession.Scope.allCases.map(\.rawValue)), limit: 7)),
    ]

    static let createCharge: [Shape.Member] = [
        .init("chargePermissionId", .text(100), isRequired: true), .init("chargeAmount", price, isRequired: true),
        .init("captureNow", .flag), .init("softDescriptor", .text(16)), .init("canHandlePendingAuthorization", .flag),
        .init("merchantMetadata", .object(merchantMetadata)), .init("providerMetadata", provider),
        .init("chargeInitiator", .oneOf(["CITU", "MITU", "CITR", "MITR"])),
        .init(
            "channel",
            .oneOf(["Web", "Phone", "App", "Alexa", "PointOfSale", "FireTv", "Offline", "Amazon"])
        ),
        .init("platformId", .text(100)),
    ]

    static let capture: [Shape.Member] = [
        .init("captureAmount", price, isRequired: true), .init("softDescriptor", .text(16)),
    ]

    static let cancelCharge: [Shape.Member] = [.init("cancellationReason", .text(255))]

    static let createRefund: [Shape.Member] = [
        .init("chargeId", .text(100), isRequired: true), .init("refundAmount", price, isRequired: true),
        .init("softDescriptor", .text(16)),
    ]

    static let updatePermission: [Shape.Member] = [.init("merchantMetadata", .object(merchantMetadata))]

    static let closePermission: [Shape.Member] = [
        .init("closureReason", .text(255)), .init("cancelPendingCharges", .flag),
    ]

    private static func session(_ web: [Shape.Member]) -> [Shape.Member] {
        [
            .init("webCheckoutDetails", .object(web)), .init("storeId", .text(100), isRequired: true),
            .init("scopes", .list(of: .oneOf(SimulatedSession.Scope.allCases.map(\.rawValue)), limit: 7)),
            .init("chargePermissionType", .oneOf(["OneTime", "Recurring", "PaymentMethodOnFile"])),
            .init("recurringMetadata", .object(recurring)),
            .init("paymentMethodOnFileMetadata", .object([.init("setupOnly", .flag)])),
            .init("deliverySpecifications", .object(delivery)), .init("addressDetails", .object(address)),
            .init("paymentDetails", .object(paymentDetails)), .init("merchantMetadata", .object(merchantMetadata)),
            .init("providerMetadata", provider), .init("platformId", .text(100)),
            .init("supplementaryData", .text(20_000)),
        ]
    }

    private static let webCheckoutDetails: [Shape.Member] = [
        .init("checkoutReviewReturnUrl", .url(512)), .init("checkoutResultReturnUrl", .link(512)),
        .init("checkoutCancelUrl", .link(512)), .init("checkoutErrorUrl", .link(512)),
    ]

    private static let paymentDetails: [Shape.Member] = [
        .init("paymentIntent", .oneOf(["Confirm", "Authorize", "AuthorizeWithCapture"])),
        .init("canHandlePendingAuthorization", .flag), .init("chargeAmount", price), .init("totalOrderAmount", price),
        .init("presentmentCurrency", .oneOf(Currency.allCases.map(\.rawValue))), .init("softDescriptor", .text(16)),
        .init("allowOvercharge", .flag), .init("extendExpiration", .flag), .init("estimateOrderTotal", price),
    ]

    private static let merchantMetadata: [Shape.Member] = [
        .init("merchantReferenceId", .text(256)), .init("merchantStoreName", .text(50)),
        .init("noteToBuyer", .text(255)), .init("customInformation", .text(4096)),
    ]

    private static let provider = Shape.object([.init("providerReferenceId", .text(256))])

    private static let recurring: [Shape.Member] = [
        .init(
            "frequency",
            .object([
                .init("unit", .oneOf(["Year", "Month", "Week", "Day", "Variable"]), isRequired: true),
                .init("value", .count, isRequired: true),
            ])
        ),
        .init("amount", price),
    ]

    private static let delivery: [Shape.Member] = [
        .init("specialRestrictions", .list(of: .oneOf(["RestrictPOBoxes", "RestrictPackstations"]), limit: 2)),
        .init(
            "addressRestrictions",
            .object([
                .init("type", .oneOf(["Allowed", "NotAllowed"]), isRequired: true),
                .init("restrictions", .table(of: .object(region), limit: 250)),
            ])
        ),
    ]

    private static let region: [Shape.Member] = [
        .init("statesOrRegions", .list(of: .text(50), limit: 200)),
        .init("zipCodes", .list(of: .text(20), limit: 1000)),
    ]

    static let address: [Shape.Member] = [
        .init("name", .text(50)), .init("addressLine1", .text(180)), .init("addressLine2", .text(60)),
        .init("addressLine3", .text(60)), .init("city", .text(50)), .init("districtOrCounty", .text(50)),
        .init("county", .text(50)), .init("district", .text(50)), .init("stateOrRegion", .text(50)),
        .init("postalCode", .text(20)), .init("countryCode", .text(2)), .init("phoneNumber", .text(20)),
    ]
}
