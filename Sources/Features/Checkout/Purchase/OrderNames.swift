package import AmazonPay
package import MerchantOrders
package import Primitives
package import SessionBroker

// The names of an order at the provider: the merchant's reference, which its console, its reports of settlements and its mail to
// the buyer show, and our own mark, by which an object is assigned to its session.

extension MerchantMetadata {
    /// The names of an order; a reference that is longer than the provider takes leaves its place to the number, and stands
    /// behind the mark.
    ///
    /// - Parameters:
    ///   - reference: The merchant's; `nil` for the shop's own orders.
    init(naming webviewSession: WebviewSessionID, reference: String?) {
        let fits = (1...MerchantMetadata.referenceLimit).contains(reference?.utf8.count ?? 0)
        let number = OrderNumber(webviewSession).description
        self.init(
            merchantReferenceId: fits ? reference : number,
            customInformation: SessionMark(webviewSession, reference: fits ? nil : reference).description
        )
    }
}

/// An object of the provider that has the names of an order.
package protocol NamedObject {
    /// The merchant's reference, or what stands in its place.
    var merchantReferenceID: String? { get }
    /// Our own mark, or somebody else's text.
    var customInformation: String? { get }
}

extension CheckoutSession: NamedObject {}

extension NamedObject {
    /// The session that it belongs to; somebody else's text may look like a mark.
    package var markedSession: WebviewSessionID? {
        SessionMark.session(information: customInformation, reference: merchantReferenceID)
    }

    /// Whether it has the names of a session's order: the mark is only ever written together with the reference.
    func isNamed(for webviewSession: WebviewSessionID) -> Bool {
        customInformation.flatMap { SessionMark($0) }?.webviewSession == webviewSession
    }
}

extension ChargePermission: NamedObject {
    /// The merchant's reference that stands beside our mark, `nil` without a mark; it may be the order's number.
    package var markedReference: String? {
        guard let mark = customInformation.flatMap({ SessionMark($0) }) else { return nil }
        return mark.reference ?? merchantReferenceID
    }

    fileprivate func shows(_ names: MerchantMetadata) -> Bool {
        customInformation?.octets == names.customInformation?.octets
            && merchantReferenceID?.octets == names.merchantReferenceId?.octets
    }
}

/// A permission that was read because the names of its order were missing, and what became of them.
package struct NamedPermission: Sendable {
    /// As it was read.
    package let object: ObservedObject
    /// What became of the names.
    package let naming: NamingReading
    /// For operators; empty where the names are there.
    package let detail: String
}

extension CheckoutService {
    /// Reads a permission, behind everybody who waits for the provider, and writes the names of its order on it where they are
    /// missing.
    ///
    /// - Parameters:
    ///   - webviewSession: Whose permission it is, as the ledger says.
    /// - Returns: As it was read before anything was written: what is written counts once a reading shows it.
    /// - Throws: As `object(_:_:)`, where it cannot be read.
    package func name(
        _ id: String,
        of webviewSession: UUIDBytes,
        _ reference: String
    ) async throws(AmazonPayError) -> NamedPermission {
        guard let id = ChargePermissionID(id) else { throw CheckoutService.noSuchObject }
        // Both calls together take no longer than one reading may.
        let limit = CheckoutService.patience / 2
        let permission = try await client.permission(id, priority: .background, within: limit)
        let object = ObservedObject(permission)
        let names = MerchantMetadata(naming: webviewSession, reference: reference)
        guard !permission.shows(names) else { return NamedPermission(object: object, naming: .shown, detail: "") }
        guard permission.state != .closed else {
            return NamedPermission(object: object, naming: .refused, detail: "the permission is closed")
        }
        do throws(AmazonPayError) {
            _ = try await client.updatePermission(id, names, priority: .background, within: limit)
            return NamedPermission(object: object, naming: .missing, detail: "sent")
        } catch {
            let isFinal = error.code == .refused && error.retry == .never
            let naming: NamingReading = error.isHeldBack ? .heldBack : isFinal ? .refused : .missing
            return NamedPermission(object: object, naming: naming, detail: error.debugDescription)
        }
    }
}
