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
    ///   - key: The same at every repeat.
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
    /// - Returns: What the scopes of the sign-in allow.
    /// - Throws: `refused` without a reason for a bad or old token, for the vendor does not say how it answers one; otherwise
    ///   as `session(_:within:)`.
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

    /// Sets what the merchant writes on a permission.
    ///
    /// - Parameters:
    ///   - metadata: A member that is missing stays as it is.
    /// - Throws: As `session(_:within:)`. Repeating with the same metadata is safe.
    package func updatePermission(
        _ id: ChargePermissionID,
        _ metadata: MerchantMetadata,
        priority: Priority = .buyer,
        within limit: Duration = .seconds(15)
    ) async throws(AmazonPayError) -> ChargePermission {
        let body = WireJSON.octets(PermissionUpdate(merchantMetadata: metadata))
        return try await object(Call(.updatePermission, id.text, body: body, priority: priority), id, within: limit)
    }

    /// Gives up what is held.
    ///
    /// - Parameters:
    ///   - reason: For the merchant's records; cut to 255 characters.
    ///   - isRecovery: Whether somebody may have sent the same before, so that a refusal alone says nothing.
    ///   - limit: For waiting, tries and pauses; reading the charge where that is needed takes up to five seconds more.
    /// - Returns: The charge, cancelled by this call or before.
    /// - Throws: `refused` where it cannot be cancelled any more; otherwise as `session(_:within:)`. A repeat is always safe.
    package func cancel(
        _ id: ChargeID,
        reason: String,
        isRecovery: Bool = false,
        within limit: Duration = .seconds(30)
    ) async throws(AmazonPayError) -> Charge {
        let end = timing.uptime() + limit
        let body = WireJSON.octets(Cancellation(cancellationReason: CheckoutClient.cut(reason)))
        let call = Call(.cancelCharge, id.text, body: body, priority: .purchase)
        let report = await run(call, within: limit, mayHaveTakenEffect: isRecovery)
        let reading = Call(.getCharge, id.text, priority: .purchase)
        return try await ended(report, reading, id, until: end) { (charge: Charge) in
            charge.state == .canceled
        }
    }

    /// Ends a permission: no charge can be made any more.
    ///
    /// - Parameters:
    ///   - reason: For the merchant's records; cut to 255 characters.
    ///   - cancelsPending: Whether open authorisations are cancelled; where they are not, they stand in the way.
    ///   - isRecovery: Whether somebody may have sent the same before, so that a refusal alone says nothing.
    ///   - limit: For waiting, tries and pauses; reading the permission where that is needed takes up to five seconds more.
    /// - Returns: The permission, closed by this call or before.
    /// - Throws: `refused` where it cannot be closed; otherwise as `session(_:within:)`. A repeat is always safe.
    package func close(
        _ id: ChargePermissionID,
        reason: String,
        cancelsPending: Bool,
        isRecovery: Bool = false,
        within limit: Duration = .seconds(30)
    ) async throws(AmazonPayError) -> ChargePermission {
        let end = timing.uptime() + limit
        let closure = Closure(closureReason: CheckoutClient.cut(reason), cancelPendingCharges: cancelsPending)
        let call = Call(.closePermission, id.text, body: WireJSON.octets(closure), priority: .purchase)
        let report = await run(call, within: limit, mayHaveTakenEffect: isRecovery)
        let reading = Call(.getPermission, id.text, priority: .purchase)
        return try await ended(report, reading, id, until: end) { (found: ChargePermission) in
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

    /// What a call that ends an object came to; where the answer does not say so by itself, the object is read.
    private func ended<Object: ServiceObject>(
        _ report: CallReport,
        _ reading: Call,
        _ id: Object.ID,
        until end: Duration,
        _ isOver: (Object) -> Bool
    ) async throws(AmazonPayError) -> Object {
        let answer = try report.result.get()
        if answer.isSuccess, let object = try? Object(json: answer.body), object.id == id, isOver(object) {
            return object
        }
        guard answer.isSuccess || answer.status == 422 || report.mayHaveTakenEffect else {
            throw answer.error(.refused)
        }
        let found: Object
        do throws(AmazonPayError) {
            found = try await object(reading, id, within: max(CheckoutClient.reading, end - timing.uptime()))
        } catch {
            // Never there, or of the other environment: no call will change that.
            if error.reason == .resourceNotFound { throw error }
            // That it cannot be read now says nothing of what was sent before.
            throw answer.error(.outcomeUnknown, "the object could not be read: \(error.debugDescription)")
        }
        if isOver(found) { return found }
        if answer.isSuccess { throw answer.error(.outcomeUnknown, "agreed, but the object did not end") }
        // Refused before it was looked into: that says nothing of an earlier try, which may be under way still.
        guard answer.status == 409 || answer.status == 422 else {
            throw answer.error(.outcomeUnknown, "refused after a try that may have got through")
        }
        throw answer.error(.refused)
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
