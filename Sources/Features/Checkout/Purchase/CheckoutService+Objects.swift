package import AmazonPay
package import MerchantOrders

/// Reads single objects at the provider, for nobody who waits.
package protocol ProviderReader: AnyObject {
    /// An object as the ledger takes it in; throws `refused` with 404 also for a text that cannot be an id.
    func object(_ kind: ObjectKind, _ id: String) async throws(AmazonPayError) -> ObservedObject

    /// Whether money is held or was taken with a session, or may come to be; throws as `object`.
    func mayHoldMoney(_ session: String) async throws(AmazonPayError) -> Bool
}

extension CheckoutService: ProviderReader {
    /// Reads an object, behind everybody who waits for the provider.
    ///
    /// - Returns: What the ledger takes in.
    /// - Throws: As `CheckoutClient`; `refused` with 404 also for a text that cannot be an id.
    package func object(_ kind: ObjectKind, _ id: String) async throws(AmazonPayError) -> ObservedObject {
        switch kind {
        case .charge:
            guard let id = ChargeID(id) else { throw CheckoutService.noSuchObject }
            return ObservedObject(try await client.charge(id, priority: .background, within: CheckoutService.patience))
        case .refund:
            guard let id = RefundID(id) else { throw CheckoutService.noSuchObject }
            return ObservedObject(try await client.refund(id, priority: .background, within: CheckoutService.patience))
        case .permission:
            guard let id = ChargePermissionID(id) else { throw CheckoutService.noSuchObject }
            return ObservedObject(
                try await client.permission(id, priority: .background, within: CheckoutService.patience)
            )
        case .session:
            // A purchase looks after its session, see `PurchaseService.recover`.
            throw CheckoutService.noSuchObject
        }
    }

    /// For one reading.
    package static let patience = Duration.seconds(12)

    package static let noSuchObject = AmazonPayError(.refused, status: 404, detail: "the id has another form")
}

extension CheckoutService {
    /// Whether money is held or was taken with a session, or may come to be; asked behind everybody who waits for the provider.
    ///
    /// `Completed` alone does not say so: a session may be completed before the bank decides, and stays so when the bank refuses.
    ///
    /// - Returns: False for a session that was not completed, and for one whose charge holds nothing.
    /// - Throws: As `object(_:_:)`.
    package func mayHoldMoney(_ session: String) async throws(AmazonPayError) -> Bool {
        guard let id = CheckoutSessionID(session) else { throw CheckoutService.noSuchObject }
        let found = try await client.session(id, priority: .background, within: CheckoutService.patience)
        guard found.state == .completed else { return false }
        guard let charge = found.chargeID.flatMap({ ChargeID($0) }) else { return true }
        do throws(AmazonPayError) {
            return try await client.charge(charge, priority: .background, within: CheckoutService.patience).mayHoldMoney
        } catch {
            // Where the charge is gone, what became of it is for a person to find out.
            guard error.isAboutNothing else { throw error }
            return true
        }
    }
}
