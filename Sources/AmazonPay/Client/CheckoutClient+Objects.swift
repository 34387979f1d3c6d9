/// An object that is read by its identifier.
protocol ServiceObject: Sendable {
    associatedtype ID: Equatable

    var id: ID { get }

    init(json: [UInt8]) throws(AmazonPayError)
}

extension CheckoutSession: ServiceObject {}
extension Charge: ServiceObject {}
extension Refund: ServiceObject {}
extension ChargePermission: ServiceObject {}

// Calls about single objects: made, read, marked, ended.
extension CheckoutClient {
    /// Creates a session from the server.
    ///
    /// - Parameters:
    ///   - creation: What a button would start.
    ///   - key: The same at every repeat.
    ///   - limit: For everything: waiting, tries, pauses.
    /// - Returns: The open session.
    /// - Throws: As `session(_:within:)`. Repeating with the same creation and key is safe.
    package func create(
        _ creation: CheckoutCreation,
        key: IdempotencyKey,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> CheckoutSession {
        try await object(Call(.createSession, body: creation.json, key: key), nil, within: limit)
    }

    /// Reads a charge.
    ///
    /// - Parameters:
    ///   - id: The charge.
    ///   - priority: Who waits for it.
    ///   - limit: For everything: waiting, tries, pauses.
    /// - Returns: The charge as it is now.
    /// - Throws: As `session(_:within:)`.
    package func charge(
        _ id: ChargeID,
        priority: Priority = .buyer,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> Charge {
        try await object(Call(.getCharge, id.text, priority: priority), id, within: limit)
    }

    /// Reads a refund.
    ///
    /// - Parameters:
    ///   - id: The refund.
    ///   - priority: Who waits for it.
    ///   - limit: For everything: waiting, tries, pauses.
    /// - Returns: The refund as it is now.
    /// - Throws: As `session(_:within:)`.
    package func refund(
        _ id: RefundID,
        priority: Priority = .buyer,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> Refund {
        try await object(Call(.getRefund, id.text, priority: priority), id, within: limit)
    }

    /// Reads a charge permission.
    ///
    /// - Parameters:
    ///   - id: The permission.
    ///   - priority: Who waits for it.
    ///   - limit: For everything: waiting, tries, pauses.
    /// - Returns: The permission as it is now.
    /// - Throws: As `session(_:within:)`.
    package func permission(
        _ id: ChargePermissionID,
        priority: Priority = .buyer,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> ChargePermission {
        try await object(Call(.getPermission, id.text, priority: priority), id, within: limit)
    }

    /// Reads what a buyer who signed in lets the merchant know.
    ///
    /// - Parameters:
    ///   - token: From the address the buyer came back with; good for about a day.
    ///   - priority: Who waits for it.
    ///   - limit: For everything: waiting, tries, pauses.
    /// - Returns: What the scopes of the sign-in allow.
    /// - Throws: `refused` without a reason for a bad or old token, for the vendor does not say how it answers one; otherwise as
    ///   `session(_:within:)`.
    package func buyer(
        _ token: BuyerToken,
        priority: Priority = .buyer,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> BuyerProfile {
        let call = Call(.getBuyer, token.pathSegment, priority: priority)
        let answer = try await run(call, within: limit, mayHaveTakenEffect: false).result.get()
        guard answer.isSuccess else {
            guard answer.status == 403 || answer.status == 404 else { throw answer.error(.refused) }
            throw AmazonPayError(
                .refused,
                status: answer.status,
                requestID: answer.requestID,
                detail: "the token is bad or old, or: \(answer.reason?.rawValue ?? "no reason")"
            )
        }
        return try BuyerProfile(json: answer.body)
    }

    /// Sets our own marks on a permission.
    ///
    /// - Parameters:
    ///   - id: The permission.
    ///   - metadata: Our own marks.
    ///   - limit: For everything: waiting, tries, pauses.
    /// - Returns: The permission.
    /// - Throws: As `session(_:within:)`. Repeating with the same marks is safe.
    package func updatePermission(
        _ id: ChargePermissionID,
        _ metadata: MerchantMetadata,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> ChargePermission {
        let body = WireJSON.octets(PermissionUpdate(merchantMetadata: metadata))
        return try await object(Call(.updatePermission, id.text, body: body), id, within: limit)
    }

    /// Gives up what is held.
    ///
    /// - Parameters:
    ///   - id: The charge.
    ///   - reason: For the merchant's records; cut to 255 characters.
    ///   - limit: For waiting, tries and pauses; reading the charge where that is needed takes up to five seconds more.
    /// - Returns: The charge, cancelled by this call or before.
    /// - Throws: `refused` where it cannot be cancelled any more; otherwise as `session(_:within:)`. A repeat is always safe.
    package func cancel(
        _ id: ChargeID,
        reason: String,
        within limit: Duration = .seconds(30)
    ) async throws(AmazonPayError) -> Charge {
        let body = WireJSON.octets(Cancellation(cancellationReason: CheckoutClient.cut(reason)))
        let call = Call(.cancelCharge, id.text, body: body)
        return try await ended(call, Call(.getCharge, id.text), id, within: limit) { (charge: Charge) in
            charge.state == .canceled
        }
    }

    /// Ends a permission: no charge can be made any more.
    ///
    /// - Parameters:
    ///   - id: The permission.
    ///   - reason: For the merchant's records; cut to 255 characters.
    ///   - cancelsPending: Whether open authorisations are cancelled; where they are not, they stand in the way.
    ///   - limit: For waiting, tries and pauses; reading the permission where that is needed takes up to five seconds more.
    /// - Returns: The permission, closed by this call or before.
    /// - Throws: `refused` where it cannot be closed; otherwise as `session(_:within:)`. A repeat is always safe.
    package func close(
        _ id: ChargePermissionID,
        reason: String,
        cancelsPending: Bool,
        within limit: Duration = .seconds(30)
    ) async throws(AmazonPayError) -> ChargePermission {
        let closure = Closure(closureReason: CheckoutClient.cut(reason), cancelPendingCharges: cancelsPending)
        let call = Call(.closePermission, id.text, body: WireJSON.octets(closure))
        return try await ended(call, Call(.getPermission, id.text), id, within: limit) { (found: ChargePermission) in
            found.state == .closed
        }
    }

    // MARK: One object

    /// Carries out a call that is answered with an object.
    func object<Object: ServiceObject>(
        _ call: Call,
        _ id: Object.ID?,
        within limit: Duration
    ) async throws(AmazonPayError) -> Object {
        let answer = try await run(call, within: limit, mayHaveTakenEffect: false).result.get()
        guard answer.isSuccess else { throw answer.error(.refused) }
        let object = try Object(json: answer.body)
        guard id == nil || object.id == id else {
            throw answer.error(.unreadable, "the answer is about another object")
        }
        return object
    }

    /// Carries out a call that ends an object; where the answer does not say so by itself, the object is read.
    private func ended<Object: ServiceObject>(
        _ call: Call,
        _ reading: Call,
        _ id: Object.ID,
        within limit: Duration,
        _ isOver: (Object) -> Bool
    ) async throws(AmazonPayError) -> Object {
        let end = surroundings.uptime() + limit
        let report = await run(call, within: limit, mayHaveTakenEffect: false)
        let answer = try report.result.get()
        if answer.isSuccess, let object = try? Object(json: answer.body), object.id == id, isOver(object) {
            return object
        }
        guard answer.isSuccess || answer.status == 422 || report.mayHaveTakenEffect else {
            throw answer.error(.refused)
        }
        let rest = max(CheckoutClient.reading, end - surroundings.uptime())
        let found: Object = try await object(reading, id, within: rest)
        guard isOver(found) else {
            throw answer.isSuccess
                ? answer.error(.outcomeUnknown, "agreed, but the object did not end") : answer.error(.refused)
        }
        return found
    }

    private static func cut(_ reason: String) -> String {
        String(String.UnicodeScalarView(reason.unicodeScalars.prefix(255)))
    }
}

private struct PermissionUpdate: Encodable {
    let merchantMetadata: MerchantMetadata
}

private struct Cancellation: Encodable {
    let cancellationReason: String
}

private struct Closure: Encodable {
    let closureReason: String
    let cancelPendingCharges: Bool
}
