import StrictJSON

// Step 8 of every call: ownership, state, effect.
//
// The engine is always called in a statement of its own: inside the arguments of another method it would be called while
// that method's copy of the model is alive, and would have to copy all objects.

extension AmazonPayModel {
    /// Carries a call out.
    mutating func carryOut(_ call: APICall) throws(APIError) -> ServiceAnswer {
        switch call.operation {
        case .createCheckoutSession, .getCheckoutSession, .updateCheckoutSession, .completeCheckoutSession:
            try carryOutOnSession(call)
        case .createCharge, .getCharge, .captureCharge, .cancelCharge: try carryOutOnCharge(call)
        case .getChargePermission, .updateChargePermission, .closeChargePermission: try carryOutOnPermission(call)
        case .createRefund, .getRefund: try carryOutOnRefund(call)
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
            var order = CompleteOrder()
            order.chargeAmount = BodyCheck.price(call.body["chargeAmount"])
            order.totalOrderAmount = BodyCheck.price(call.body["totalOrderAmount"])
            if case .complete(let simulation) = call.simulation { order.simulation = simulation }
            let (session, isPending) = try engine.complete(call.id, for: call.caller, order)
            return answer(session, status: isPending ? 202 : 200, isEffective: true)
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
        let refund = try engine.createRefund(
            of: call.body["chargeId"]?.text ?? "",
            for: call.caller,
            amount: try Price(required: "refundAmount", of: call.body),
            softDescriptor: call.body["softDescriptor"]?.text
        )
        return answer(refund, status: 201, isEffective: true)
    }

    private func answer(_ session: CheckoutSession, status: Int = 200, isEffective: Bool) -> ServiceAnswer {
        let subject = CallSubject(
            sessionID: session.id,
            permissionID: session.permissionID,
            chargeID: session.chargeID,
            amount: session.payment.chargeAmount,
            isEffective: isEffective
        )
        return ServiceAnswer(status: status, body: json(of: session), subject: subject)
    }

    private func answer(_ charge: Charge, status: Int = 200, isEffective: Bool) -> ServiceAnswer {
        let subject = CallSubject(
            sessionID: engine.permissions[charge.permissionID]?.sessionID,
            permissionID: charge.permissionID,
            chargeID: charge.id,
            amount: charge.captureAmount ?? charge.amount,
            isEffective: isEffective
        )
        return ServiceAnswer(status: status, body: charge.json, subject: subject)
    }

    private func answer(_ permission: ChargePermission, isEffective: Bool) -> ServiceAnswer {
        let subject = CallSubject(
            sessionID: permission.sessionID,
            permissionID: permission.id,
            amount: permission.limit,
            isEffective: isEffective
        )
        return ServiceAnswer(body: json(of: permission), subject: subject)
    }

    private func answer(_ refund: Refund, status: Int = 200, isEffective: Bool) -> ServiceAnswer {
        let subject = CallSubject(
            chargeID: refund.chargeID,
            refundID: refund.id,
            amount: refund.amount,
            isEffective: isEffective
        )
        return ServiceAnswer(status: status, body: refund.json, subject: subject)
    }

    func json(of session: CheckoutSession) -> JSONValue {
        session.json(processingURL: configuration.baseURL + "/checkout/processing")
    }

    func json(of permission: ChargePermission) -> JSONValue {
        permission.json(balance: engine.balance(of: permission), at: engine.now)
    }
}

extension Price {
    /// The price in a member that the schema has found there.
    init(required name: String, of body: JSONValue) throws(APIError) {
        guard let price = BodyCheck.price(body[name]) else {
            throw APIError(.missingParameterValue, "\(name) is required.")
        }
        self = price
    }
}

extension ChargeOrder {
    init(_ body: JSONValue) throws(APIError) {
        self.init(amount: try Price(required: "chargeAmount", of: body))
        capturesNow = body["captureNow"]?.flag ?? false
        canHandlePendingAuthorization = body["canHandlePendingAuthorization"]?.flag ?? false
        softDescriptor = body["softDescriptor"]?.text
        initiator = body["chargeInitiator"]?.text
        channel = body["channel"]?.text
        metadata = body["merchantMetadata"] ?? .null
        providerReferenceID = body["providerMetadata"]?["providerReferenceId"]?.text
        platformID = body["platformId"]?.text
    }
}
