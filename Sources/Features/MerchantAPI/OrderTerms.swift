package import Commerce
import HTTPCore
package import MerchantOrders
package import Primitives
import StrictJSON

/// What of an order the crossing of its buyer needs to know: postage, note, the way back, when the money is
/// taken, where it may be sent.
///
/// Stored with the webview session as JSON where a merchant's program opened it. Those of the shop itself follow from settings,
/// and nothing is stored for them.
package struct OrderTerms: Sendable, Hashable {
    /// How the postage comes about.
    package let postage: Postage
    /// The merchant's name for the order; `nil` for the shop's own orders, which are called by their number.
    package let reference: String?
    /// A line for the buyer; never empty.
    package let note: String?
    /// Where a buyer in a browser comes back to.
    package let returnURL: String?
    /// When the money is taken.
    package let captureMode: CaptureMode
    /// Whether something is sent to an address of the buyer's.
    package var hasDelivery = true
    /// To which addresses it may go; `nil` for all in Japan.
    package private(set) var restrictions: DeliveryRestrictions?
    /// Whether no other session may have its reference.
    package let hasUniqueReference: Bool
    /// By which the address is known again that an app's payload was signed with; `nil` without an address.
    package var addressMark: Digest32?
    /// Whether an app's payload said that the payment may be agreed to before the bank has spoken.
    package var handlesPending = false

    /// The terms of an order, or `nil` for one that our pages cannot show.
    ///
    /// - Parameter draft: A checked order.
    package init?(_ draft: OrderDraft) {
        guard draft.shown != nil else { return nil }
        self.init(draft.postage, draft.options, draft.reference)
    }

    /// The terms of every order of the shop itself.
    package init(_ shop: OwnShop) {
        self.init(shop.postage, shop.options, nil)
    }

    private init(_ postage: Postage, _ options: OrderDraft.Options, _ reference: String?) {
        self.postage = postage
        self.reference = reference
        note = options.note
        returnURL = options.returnURL
        captureMode = options.captureMode
        hasDelivery = options.hasDelivery
        restrictions = options.restrictions
        hasUniqueReference = options.hasUniqueReference
    }

    /// Terms as they were stored, or `nil` for what this program did not write.
    ///
    /// - Parameter stored: JSON.
    package init?(stored: [UInt8]) {
        guard let value = try? JSONParser.parse(stored), let postage = OrderTerms.postage(value) else { return nil }
        self.postage = postage
        reference = value["reference"]?.text
        note = value["note"]?.text
        returnURL = value["returnUrl"]?.text
        let mode = value["capture"].map { $0.text.flatMap { CaptureMode(word: $0.octets) } } ?? .manual
        guard let mode else { return nil }
        captureMode = mode
        hasUniqueReference = value["uniqueReference"]?.flag ?? false
        handlesPending = value["pending"]?.flag ?? false
        hasDelivery = value["delivery"]?.flag ?? true
        if let stored = value["deliveryRestrictions"] {
            guard let known = DeliveryRestrictions(stored: stored) else { return nil }
            restrictions = known
        }
        guard let mark = value["addressMark"]?.text else { return }
        guard let digest = Hex.decode(mark).flatMap({ Digest32($0.span) }) else { return nil }
        addressMark = digest
    }

    /// JSON, to be stored; `nil` for what follows from settings.
    package var stored: [UInt8]? {
        var members: [JSONMember] = []
        members.reserveCapacity(10)
        switch postage {
        case .fixed(let sum): members.append(JSONMember("postage", JSONValue(Int(sum.units))))
        case .callback(let address): members.append(JSONMember("postageCallback", .string(address)))
        case .byAddress: return nil
        }
        if let reference { members.append(JSONMember("reference", .string(reference))) }
        if let note { members.append(JSONMember("note", .string(note))) }
        if let returnURL { members.append(JSONMember("returnUrl", .string(returnURL))) }
        if captureMode != .manual { members.append(JSONMember("capture", .string(captureMode.rawValue))) }
        if !hasDelivery { members.append(JSONMember("delivery", .bool(false))) }
        if let restrictions { members.append(JSONMember("deliveryRestrictions", restrictions.json)) }
        if hasUniqueReference { members.append(JSONMember("uniqueReference", .bool(true))) }
        if handlesPending { members.append(JSONMember("pending", .bool(true))) }
        if let addressMark { members.append(JSONMember("addressMark", .string(Hex.encode(addressMark.bytes)))) }
        return JSONValue.object(members).bytes
    }

    private static func postage(_ stored: JSONValue) -> Postage? {
        if let address = stored["postageCallback"]?.text { return .callback(address) }
        guard let amount = stored["postage"]?.integer, let sum = Yen(exactly: Int64(amount)) else { return nil }
        return .fixed(Money(sum))
    }

    /// The parameter of the way back that an address has already, or `nil`: the buyer's page would find two of it, and take
    /// either.
    ///
    /// - Returns: The first one.
    package static func reservedName(in returnURL: String) -> String? {
        let parts = returnURL.octets.parts(between: UInt8(ascii: "?"), limit: 1, keepingEmpty: false)
        guard let query = parts.dropFirst().first else { return nil }
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            // Names only: values may be in whatever encoding the merchant's server reads. Escapes may spell any name.
            let text = Array(pair.prefix { $0 != UInt8(ascii: "=") })
            let name = (try? HTTPParameters(text.span))?.names.first
            if let name, reservedNames.contains(where: { $0.octets == name.octets }) { return name }
        }
        return nil
    }

    private static let reservedNames = ["secureWebviewSessionId", "orderReferenceId"]

    /// Where the buyer of a site goes with the return ticket, or `nil` where the order has no way back.
    ///
    /// - Returns: The merchant's address with `secureWebviewSessionId` and `orderReferenceId` in its query.
    package func returnAddress(ticket: String, orderReference: String) -> String? {
        guard let returnURL else { return nil }
        let hasQuery = returnURL.utf8.contains(UInt8(ascii: "?"))
        let isOpen = returnURL.octets.ends(with: "?") || returnURL.octets.ends(with: "&")
        let separator = !hasQuery ? "?" : isOpen ? "" : "&"
        return "\(returnURL)\(separator)secureWebviewSessionId=\(ticket)&orderReferenceId=\(orderReference)"
    }
}
