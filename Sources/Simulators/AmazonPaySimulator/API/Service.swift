import StrictJSON

// Step 8 of every call: ownership, state, effect.
//
// The engine is always called in a statement of its own: inside the arguments of another method it would be called while
// that method's copy of the model is alive, and would have to copy all objects.

extension AmazonPayModel {
    /// Carries a call out.
    mutating func carryOut(_ call: APICall) throws(APIError) -> ServiceAnswer {
        switch call.operation {
        case .createCheckoutSession, .getCheckoutSession, .updateCheckoutSession, .completeCheckoutSession,
            .finalizeCheckoutSession:
            try carryOutOnSession(call)
        case .createCharge, .getCharge, .captureCharge, .cancelCharge: try carryOutOnCharge(call)
        case .updateCharge:
            throw APIError(.requestNotSupported, "Update Charge is for payment service providers only.")
        case .getChargePermission, .updateChargePermission, .closeChargePermission: try carryOutOnPermission(call)
        case .createRefund, .getRefund: try carryOutOnRefund(call)
        case .getBuyer: ServiceAnswer(body: try engine.signIn(call.id, for: call.caller).json, subject: CallSubject())
        }
    }

    private mutating func carryOutOnSession(_ call: APICall) throws(APIError) -> ServiceAnswer {
        switch call.operation {
        case .createCheckoutSession:
            let draft = SessionDraft(call.body, productType: .payAndShip)
            try SessionDraft.checkCombinations(draft, call.caller.merchant)
            let session = try engine.createSession(draft, for: call.caller)
            return answer(session, status: 201, isEffective: true)
        case .updateCheckoutSession:
            let body = call.body
            let session = try engine.updateSession(call.id, for: call.caller) { $0.apply(body) }
            return answer(session, isEffective: true)
        case .completeCheckoutSession:
            let order = CompleteOrder(call)
            let (session, isPending) = try engine.complete(call.id, for: call.caller, order)
            return answer(session, status: isPending ? 202 : 200, isEffective: true)
        case .finalizeCheckoutSession:
            let order = FinalizeOrder(call)
            let (session, isPending) = try engine.finalize(call.id, for: call.caller, order)
            return answer(session, status: isPending ? 202 : 200, isEffective: true, showsBuyer: true)
        default:
            return answer(try engine.session(call.id, for: call.caller), isEffective: false)
        }
    }

    private mutating func carryOutOnCharge(_ call: APICall) throws(APIError) -> ServiceAnswer {
        switch call.operation {
        case .createCharge:
            var simulation: ChargeSimulation?
            if case .charge(let code) = call.simulation { simulation = code }
            let charge = try engine.createCharge(
                try ChargeOrder(call.body),
                under: call.body["chargePermissionId"]?.text ?? "",
                for: call.caller,
                simulation
            )
            return answer(charge, status: 201, isEffective: true)
        case .captureCharge:
            let charge = try engine.capture(
                call.id,
                for: call.caller,
                amount: try Price(required: "captureAmount", of: call.body),
                softDescriptor: call.body["softDescriptor"]?.text
            )
            return answer(charge, isEffective: true)
        case .cancelCharge:
            let charge = try engine.cancelCharge(call.id, for: call.caller)
            return answer(charge, isEffective: true)
        default:
            return answer(try engine.charge(call.id, for: call.caller), isEffective: false)
        }
    }

    private mutating func carryOutOnPermission(_ call: APICall) throws(APIError) -> ServiceAnswer {
        switch call.operation {
        case .updateChargePermission:
            let metadata = call.body["merchantMetadata"]
            let permission = try engine.updatePermission(call.id, for: call.caller) { $0.apply(metadata) }
            return answer(permission, isEffective: true)
        case .closeChargePermission:
            let permission = try engine.closePermission(
                call.id,
                for: call.caller,
                cancelsPending: call.body["cancelPendingCharges"]?.flag ?? false,
                call.simulation == .amazonClosed ? .amazonClosed : .merchantClosed
            )
            return answer(permission, isEffective: true)
        default:
            return answer(try engine.permission(call.id, for: call.caller), isEffective: false)
        }
    }

    private mutating func carryOutOnRefund(_ call: APICall) throws(APIError) -> ServiceAnswer {
        guard call.operation == .createRefund else {
            return answer(try engine.refund(call.id, for: call.caller), isEffective: false)
        }
        let order = RefundOrder(
            chargeID: call.body["chargeId"]?.text ?? "",
            amount: try Price(required: "refundAmount", of: call.body),
            softDescriptor: call.body["softDescriptor"]?.text,
            delay: switches.refundDelay
        )
        let refund = try engine.createRefund(order, for: call.caller)
        return answer(refund, status: 201, isEffective: true)
    }

    private func answer(
        _ session: SimulatedSession,
        status: Int = 200,
        isEffective: Bool,
        showsBuyer: Bool = false
    ) -> ServiceAnswer {
        let subject = CallSubject(
            sessionID: session.id,
            permissionID: session.permissionID,
            chargeID: session.chargeID,
            amount: session.payment.chargeAmount,
            isEffective: isEffective
        )
        let body = json(of: session, showsBuyer: showsBuyer)
        return ServiceAnswer(status: status, body: body, subject: subject)
    }

    private func answer(_ charge: SimulatedCharge, status: Int = 200, isEffective: Bool) -> ServiceAnswer {
        let subject = CallSubject(
            sessionID: engine.permissions[charge.permissionID]?.sessionID,
            permissionID: charge.permissionID,
            chargeID: charge.id,
            amount: charge.captureAmount ?? charge.amount,
            isEffective: isEffective
        )
        return ServiceAnswer(status: status, body: charge.json, subject: subject)
    }

    private func answer(_ permission: SimulatedPermission, isEffective: Bool) -> ServiceAnswer {
        let subject = CallSubject(
            sessionID: permission.sessionID,
            permissionID: permission.id,
            amount: permission.limit,
            isEffective: isEffective
        )
        return ServiceAnswer(body: json(of: permission), subject: subject)
    }

    private func answer(_ refund: SimulatedRefund, status: Int = 200, isEffective: Bool) -> ServiceAnswer {
        let subject = CallSubject(
            permissionID: refund.permissionID,
            chargeID: refund.chargeID,
            refundID: refund.id,
            amount: refund.amount,
            isEffective: isEffective
        )
        return ServiceAnswer(status: status, body: refund.json, subject: subject)
    }

    func json(of session: SimulatedSession, showsBuyer: Bool = false) -> JSONValue {
        session.json(processingURL: configuration.baseURL + "/checkout/processing", showsBuyer: showsBuyer)
    }

    func json(of permission: SimulatedPermission) -> JSONValue {
        permission.json(balance: engine.balance(of: permission), at: engine.now)
    }
}

extension Price {
    /// The price in a member that the schema has found there.
    init(required name: String, of body: JSONValue) throws(APIError) {
        guard let price = Price(body[name]) else {
            throw APIError(.missingParameterValue, "\(name) is required.")
        }
        self = price
    }
}

extension CompleteOrder {
    fileprivate init(_ call: APICall) {
        chargeAmount = Price(call.body["chargeAmount"])
        totalOrderAmount = Price(call.body["totalOrderAmount"])
        if case .complete(let code) = call.simulation { simulation = code }
    }
}

extension FinalizeOrder {
    fileprivate init(_ call: APICall) {
        amounts = CompleteOrder(call)
        intent = call.body["paymentIntent"]?.text.flatMap(PaymentDetails.Intent.init)
        canHandlePendingAuthorization = call.body["canHandlePendingAuthorization"]?.flag
        supplementaryData = call.body["supplementaryData"]?.text
        shippingAddress = call.body["shippingAddress"].map(PostalAddress.init)
        billingAddress = call.body["billingAddress"].map(PostalAddress.init)
    }
}

extension ChargeOrder {
    init(_ body: JSONValue) throws(APIError) {
        self.init(amount: try Price(required: "chargeAmount", of: body))
        capturesNow = body["captureNow"]?.flag ?? false
        canHandlePendingAuthorization = body["canHandlePendingAuthorization"]?.flag ?? false
        softDescriptor = body["softDescriptor"]?.text
        initiator = body["chargeInitiator"]?.text ?? initiator
        channel = body["channel"]?.text ?? channel
        metadata = body["merchantMetadata"] ?? .null
        providerReferenceID = body["providerMetadata"]?["providerReferenceId"]?.text
        platformID = body["platformId"]?.text
    }
}
