import Primitives
import StrictJSON

// The objects as the service writes them, in its order of members. Every member is always there; what is absent is null.

extension JSONValue {
    init(_ price: Price?) { self = price?.json ?? .null }

    init(_ flag: Bool?) { self = flag.map(JSONValue.bool) ?? .null }

    init(_ time: WallTime) { self = .string(CalendarDate(time).compactText) }

    static func status(_ state: String, reason: (code: String, description: String)?, at time: WallTime) -> JSONValue {
        [
            "state": .string(state), "reasonCode": JSONValue(reason?.code),
            "reasonDescription": JSONValue(reason?.description), "lastUpdatedTimestamp": JSONValue(time),
        ]
    }
}

extension SimulatedSession {
    /// The object as the service shows it, with the processing page's URL.
    ///
    /// The buyer's data are in it only while it is open, and in the answer of finalize.
    func json(processingURL: String, showsBuyer: Bool = false) -> JSONValue {
        let shown = isOpen || showsBuyer ? choice : nil
        let members: JSONValue = [
            "checkoutSessionId": .string(id), "webCheckoutDetails": webCheckoutDetails(processingURL),
            // A session that the merchant's server made has none until a button says it.
            "productType": JSONValue(choice == nil ? nil : terms.productType.rawValue), "paymentDetails": payment.json,
            "chargePermissionType": .string(terms.permissionType.rawValue), "orderType": nil,
            "recurringMetadata": extras.recurring ?? .null,
            "paymentMethodOnFileMetadata": terms.paymentMethodOnFile ?? .null, "merchantDetails": nil,
            "merchantMetadata": metadata.json, "supplementaryData": JSONValue(extras.supplementaryData),
            "buyer": shown.map { $0.buyerJSON(terms.scopes) } ?? .null,
            "billingAddress": shown.map { $0.billingJSON(terms.scopes) } ?? .null,
            "paymentPreferences": [shown.map { $0.preferenceJSON } ?? .null], "statusDetails": statusJSON,
            "shippingAddress": sharesOneAddress ? shown.map { $0.shippingJSON(terms.scopes) } ?? .null : .null,
            "platformId": JSONValue(extras.platformID), "chargePermissionId": JSONValue(permissionID),
            "chargeId": JSONValue(chargeID),
            "constraints": .array(
                constraints.map {
                    ["constraintId": .string($0.rawValue), "description": .string($0.description)]
                }
            ),
            "creationTimestamp": JSONValue(createdAt),
            "expirationTimestamp": JSONValue(createdAt + EngineRules.sessionLife), "storeId": .string(terms.storeID),
            "providerMetadata": ["providerReferenceId": JSONValue(extras.providerReferenceID)],
            "releaseEnvironment": .string(environment.rawValue), "checkoutButtonText": nil,
            "deliverySpecifications": terms.delivery.json, "tokens": nil,
        ]
        guard !sharesOneAddress else { return members }
        // Two members that no other session has.
        let list = shown.map { $0.addressListJSON(terms) } ?? []
        return .object(
            members.members + [
                JSONMember("multiAddressesCheckoutMetadata", extras.multiAddress ?? .null),
                JSONMember("shippingAddressList", .array(list)),
            ]
        )
    }

    private var sharesOneAddress: Bool { terms.productType != .payAndShipMultiAddress }

    var permissionID: String? {
        if case .completed(let permissionID, _) = state { permissionID } else { nil }
    }

    var chargeID: String? {
        if case .completed(_, let chargeID) = state { chargeID } else { nil }
    }

    var stateName: String {
        switch state {
        case .open: "Open"
        case .completed: "Completed"
        case .canceled: "Canceled"
        }
    }

    private var statusJSON: JSONValue {
        guard case .canceled(let reason) = state else {
            return .status(stateName, reason: nil, at: stateChangedAt)
        }
        return .status(stateName, reason: (reason.rawValue, reason.description), at: stateChangedAt)
    }

    private func webCheckoutDetails(_ processingURL: String) -> JSONValue {
        let redirect = constraints.isEmpty ? processingURL + "?amazonCheckoutSessionId=" + id : nil
        return [
            "checkoutReviewReturnUrl": JSONValue(urls.review), "checkoutResultReturnUrl": JSONValue(urls.result),
            "checkoutCancelUrl": JSONValue(urls.cancel), "amazonPayRedirectUrl": JSONValue(redirect),
            "checkoutErrorUrl": JSONValue(urls.error),
        ]
    }
}

extension PaymentDetails {
    var json: JSONValue {
        [
            "paymentIntent": JSONValue(intent?.rawValue),
            "canHandlePendingAuthorization": .bool(canHandlePendingAuthorization),
            "chargeAmount": JSONValue(chargeAmount), "totalOrderAmount": JSONValue(totalOrderAmount),
            "softDescriptor": JSONValue(softDescriptor),
            "presentmentCurrency": JSONValue(presentmentCurrency?.rawValue),
            "allowOvercharge": JSONValue(allowOvercharge), "extendExpiration": JSONValue(extendExpiration),
            "estimateOrderTotal": JSONValue(estimateOrderTotal),
        ]
    }
}

extension SimulatedSession.Choice {
    func buyerJSON(_ scopes: Set<SimulatedSession.Scope>) -> JSONValue {
        [
            "buyerId": .string(buyer.id), "name": JSONValue(scopes.contains(.name) ? buyer.name : nil),
            "email": JSONValue(scopes.contains(.email) ? buyer.email : nil),
            "phoneNumber": JSONValue(scopes.contains(.phoneNumber) ? buyer.phoneNumber : nil),
            "primeMembershipTypes": nil,
        ]
    }

    func shippingJSON(_ scopes: Set<SimulatedSession.Scope>) -> JSONValue {
        guard scopes.contains(.shippingAddress), let address else { return .null }
        return address.json
    }

    func billingJSON(_ scopes: Set<SimulatedSession.Scope>) -> JSONValue {
        guard scopes.contains(.billingAddress), let home = buyer.addresses.first else { return .null }
        return home.address.json
    }

    /// All addresses of the buyer that the merchant delivers to: each a text that holds JSON.
    func addressListJSON(_ terms: CheckoutTerms) -> [JSONValue] {
        guard terms.scopes.contains(.shippingAddress) else { return [] }
        return buyer.addresses.filter { terms.delivery.eligibility(of: $0) == .allowed }
            .map { entry in
                let members = [JSONMember("addressId", .string(entry.id))] + entry.address.json.members
                return .string(String(decoding: JSONValue.object(members).bytes, as: UTF8.self))
            }
    }

    var preferenceJSON: JSONValue { ["paymentDescriptor": .string(card.descriptor)] }
}

extension SimulatedPermission.Obstacle {
    var description: String {
        switch self {
        case .chargeInProgress: "A charge is in progress."
        case .mfaFailed: "The buyer did not pass the verification."
        case .billingAddressDeleted: "The billing address was deleted."
        case .paymentMethodInvalid, .paymentMethodDeleted, .paymentMethodExpired, .paymentMethodNotAllowed,
            .paymentMethodNotSet:
            "The payment method cannot be used."
        }
    }
}

extension SimulatedCharge {
    var json: JSONValue {
        [
            "chargeId": .string(id), "chargeAmount": amount.json, "chargePermissionId": .string(permissionID),
            "captureAmount": JSONValue(captureAmount),
            "refundedAmount": refundedUnits > 0 ? Price(units: refundedUnits, amount.currency).json : .null,
            "softDescriptor": JSONValue(order.softDescriptor), "captureNow": .bool(order.capturesNow),
            "canHandlePendingAuthorization": .bool(order.canHandlePendingAuthorization),
            "providerMetadata": ["providerReferenceId": JSONValue(order.providerReferenceID)],
            "creationTimestamp": JSONValue(createdAt),
            "expirationTimestamp": JSONValue(createdAt + EngineRules.authorizationLife),
            "statusDetails": .status(
                state.name,
                reason: state.reason.map { ($0.rawValue, "The charge is \(state.name.lowercased()).") },
                at: stateChangedAt
            ),
            "convertedAmount": nil, "conversionRate": nil, "channel": JSONValue(order.channel),
            "chargeInitiator": JSONValue(order.initiator), "releaseEnvironment": .string(environment.rawValue),
            "merchantMetadata": order.metadata, "platformId": JSONValue(order.platformID), "webCheckoutDetails": nil,
        ]
    }
}

extension SimulatedPermission {
    /// The object as the service shows it; the buyer's data for thirty days.
    func json(balance: Price?, at now: WallTime) -> JSONValue {
        let shown = now < createdAt + EngineRules.buyerDataLife ? choice : nil
        return [
            "chargePermissionId": .string(id), "chargePermissionReferenceId": nil,
            "platformId": JSONValue(extras.platformID), "buyer": shown.map { $0.buyerJSON(scopes) } ?? .null,
            "shippingAddress": shown.map { $0.shippingJSON(scopes) } ?? .null,
            "billingAddress": shown.map { $0.billingJSON(scopes) } ?? .null,
            "paymentPreferences": [shown.map { $0.preferenceJSON } ?? .null], "statusDetails": statusJSON,
            "creationTimestamp": JSONValue(createdAt), "expirationTimestamp": JSONValue(expiresAt),
            "merchantMetadata": metadata.json, "releaseEnvironment": .string(environment.rawValue),
            "limits": ["amountLimit": JSONValue(limit), "amountBalance": JSONValue(balance)],
            "presentmentCurrency": .string(currency.rawValue), "chargePermissionType": .string(type.rawValue),
            "recurringMetadata": extras.recurring ?? .null,
            "paymentMethodOnFileMetadata": paymentMethodOnFile ?? .null,
        ]
    }

    /// The reasons are a list here, unlike those of the other objects, or null.
    private var statusJSON: JSONValue {
        let reasons: [JSONValue] =
            switch state {
            case .chargeable: []
            case .nonChargeable(let obstacles):
                Obstacle.allCases.filter(obstacles.contains).map { reason($0.rawValue, $0.description) }
            case .closed(let why): [reason(why.rawValue, "The charge permission is closed.")]
            }
        return [
            "state": .string(state.name), "reasons": reasons.isEmpty ? .null : .array(reasons),
            "lastUpdatedTimestamp": JSONValue(stateChangedAt),
        ]
    }

    private func reason(_ code: String, _ description: String) -> JSONValue {
        ["reasonCode": .string(code), "reasonDescription": .string(description)]
    }
}

extension SimulatedRefund {
    var json: JSONValue {
        [
            "refundId": .string(id), "chargeId": .string(chargeID), "creationTimestamp": JSONValue(createdAt),
            "refundAmount": amount.json, "statusDetails": statusJSON, "softDescriptor": JSONValue(softDescriptor),
            "convertedAmount": nil, "releaseEnvironment": .string(environment.rawValue),
        ]
    }

    private var statusJSON: JSONValue {
        guard case .declined(let reason) = state else { return .status(state.name, reason: nil, at: stateChangedAt) }
        return .status(state.name, reason: (reason.rawValue, "The refund is declined."), at: stateChangedAt)
    }
}
