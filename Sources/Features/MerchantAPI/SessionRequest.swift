import Commerce
package import MerchantOrders
package import Primitives
import ServiceAPI
package import StrictJSON
package import Web

/// What a merchant's program sends to open a session, checked.
package struct SessionRequest: Sendable {
    /// `iosApp`, `androidApp`, `site` or `mobileApp`: where the buyer is, and where the tab sends the buyer back to.
    package let client: String
    /// What is sold.
    package let draft: OrderDraft
    /// The challenge of RFC 7636, S256, where the app holds a verifier.
    package let challenge: String?
    /// What an app needs that starts the checkout by itself; for a `mobileApp` and for nobody else.
    package let mobile: MobileRequest?
    /// Whose order it is, where the program says so.
    package let account: UUIDBytes?

    /// The clients that a merchant's program may name.
    package static let clients = ["iosApp", "androidApp", "site", MobileRequest.client]

    /// Reads a request.
    ///
    /// - Throws: `invalid_request`, `invalid_amount`, `sum_mismatch`, `currency_not_supported`, `return_url_not_allowed`,
    ///   `postage_callback_not_allowed`; the field says which member.
    package init(_ reader: JSONReader, _ policy: OrderPolicy) throws(Failure) {
        var reader = reader
        client = try SessionRequest.client(&reader)
        challenge = try Failure.reading { () throws(JSONRefusal) in try reader.optionalText("codeChallenge") }
        let app = try Failure.reading { () throws(JSONRefusal) in try reader.optionalObject("mobile") }
        account = try SessionRequest.account(&reader)
        draft = try SessionRequest.draft(&reader)
        let rest = reader
        try Failure.reading { () throws(JSONRefusal) in try rest.end() }
        do throws(DraftRefusal) { try policy.check(draft) } catch { throw Failure(error) }
        if client.octets == "site", case .none = draft.options.returnURL {
            throw Failure(
                .invalidRequest,
                message: "A site needs an address to send its buyers back to.",
                field: "returnUrl"
            )
        }
        mobile = try SessionRequest.mobile(app, client, draft, policy)
    }

    private static let withoutDelivery = "is not allowed if delivery is false"

    /// Whether something is sent to an address: an app's own says it by the address.
    package var hasDelivery: Bool {
        guard let mobile else { return draft.options.hasDelivery }
        if case .some = mobile.shippingAddress { return true }
        return false
    }

    private static func mobile(
        _ reader: JSONReader?,
        _ client: String,
        _ draft: OrderDraft,
        _ policy: OrderPolicy
    ) throws(Failure) -> MobileRequest? {
        guard (client.octets == MobileRequest.client.octets) == (reader != nil) else {
            throw Failure(field: "mobile", "is required for the client mobileApp, and not allowed for other clients")
        }
        guard let reader else { return nil }
        try checkDelivery(of: draft)
        guard draft.total != nil else {
            throw Failure(
                .invalidRequest,
                message:
                    "A mobileApp session needs a fixed shipping cost: Amazon shows the total before a callback could be called.",
                field: "postage"
            )
        }
        if case .some = draft.options.returnURL {
            throw Failure(
                .invalidRequest,
                message: "A mobileApp session has no returnUrl: use the links in mobile.",
                field: "returnUrl"
            )
        }
        let mobile = try MobileRequest(reader, policy)
        guard !mobile.handlesPending || draft.options.captureMode == .manual else {
            throw Failure(
                field: "mobile.\(MobileRequest.pendingMember)",
                "is allowed only if captureMode is manual"
            )
        }
        return mobile
    }

    /// An app's own address is in `mobile`: what it goes into takes no restrictions.
    private static func checkDelivery(of draft: OrderDraft) throws(Failure) {
        let rule = "is not allowed for the client mobileApp: the address is in mobile.shippingAddress, or there is none"
        guard draft.options.hasDelivery else { throw Failure(field: "delivery", rule) }
        guard draft.options.restrictions == nil else { throw Failure(field: "deliveryRestrictions", rule) }
    }

    private static func client(_ reader: inout JSONReader) throws(Failure) -> String {
        let client = try Failure.reading { () throws(JSONRefusal) in try reader.text("client") }
        guard clients.contains(where: { $0.octets == client.octets }) else {
            throw Failure(.invalidRequest, message: "One of \(clients.joined(separator: ", ")).", field: "client")
        }
        return client
    }

    private static func account(_ reader: inout JSONReader) throws(Failure) -> UUIDBytes? {
        let name = "accountId"
        guard let text = try Failure.reading({ () throws(JSONRefusal) in try reader.optionalText(name) }) else {
            return nil
        }
        guard let account = UUIDBytes(text) else { throw Failure(field: name, "is the id of an account") }
        return account
    }

    private static func draft(_ reader: inout JSONReader) throws(Failure) -> OrderDraft {
        let reference = try Failure.reading { () throws(JSONRefusal) in try reader.text("reference") }
        let currency = try currency(&reader)
        let includesTax = try Failure.reading { () throws(JSONRefusal) in try reader.optionalFlag("pricesIncludeTax") }
        let prices = PriceReader(includesTax: includesTax ?? false)
        let lines = try lines(&reader, prices)
        let tax = try prices.tax(&reader, currency)
        var options = try options(&reader)
        let (postage, postageRate) = try postage(&reader, prices, currency, options)
        options.adjustments = try adjustments(&reader, currency, prices)
        if let postageRate { options.postageRate = postageRate }
        do throws(DraftRefusal) {
            return try OrderDraft(reference: reference, lines: lines, tax: tax, postage: postage, options: options)
        } catch {
            throw Failure(error)
        }
    }

    private static func currency(_ reader: inout JSONReader) throws(Failure) -> Currency {
        let code = try Failure.reading { () throws(JSONRefusal) in try reader.text("currency") }
        guard let currency = Currency(word: code.octets) else {
            throw Failure(.currencyNotSupported, field: "currency")
        }
        return currency
    }

    private static func lines(_ reader: inout JSONReader, _ prices: PriceReader) throws(Failure) -> [DraftLine] {
        let readers = try Failure.reading { () throws(JSONRefusal) in try reader.objects("lines") }
        var lines: [DraftLine] = []
        for (index, object) in readers.enumerated() {
            var object = object
            let (id, name, quantity) = try Failure.reading { () throws(JSONRefusal) in
                (try object.text("id"), try object.text("name"), try object.integer("quantity"))
            }
            let price = try object.money("unitPrice")
            let sum = try object.optionalMoney("sum")
            let rate = try prices.rate(&object, of: "lines[\(index)]", isRequired: true)
            let rest = object
            try Failure.reading { () throws(JSONRefusal) in try rest.end() }
            do throws(DraftRefusal) {
                lines.append(
                    try DraftLine(
                        id: id,
                        name: name,
                        unitPrice: price,
                        quantity: quantity,
                        taxRate: rate,
                        claimedSum: sum
                    )
                )
            } catch {
                throw Failure(error.below("lines[\(index)]"))
            }
        }
        return lines
    }

    private static func adjustments(
        _ reader: inout JSONReader,
        _ currency: Currency,
        _ prices: PriceReader
    ) throws(Failure) -> [Adjustment] {
        let readers = try Failure.reading { () throws(JSONRefusal) in try reader.optionalObjects("adjustments") }
        var adjustments: [Adjustment] = []
        for (index, object) in (readers ?? []).enumerated() {
            var object = object
            let name = try Failure.reading { () throws(JSONRefusal) in try object.text("name") }
            let amount = try object.signedMoney("amount")
            let rate = try prices.rate(&object, of: "adjustments[\(index)]")
            let rest = object
            try Failure.reading { () throws(JSONRefusal) in try rest.end() }
            guard amount.currency == currency,
                let adjustment = Adjustment(name: name, units: amount.units, taxRate: rate)
            else {
                let field = "adjustments[\(index)].amount"
                throw Failure(.invalidAmount, message: "Not the currency of the order.", field: field)
            }
            adjustments.append(adjustment)
        }
        return adjustments
    }

    private static func postage(
        _ reader: inout JSONReader,
        _ prices: PriceReader,
        _ currency: Currency,
        _ options: OrderDraft.Options
    ) throws(Failure) -> (Postage, TaxRate?) {
        guard options.hasDelivery else {
            if case .some = reader.value("postage") {
                throw Failure(field: "postage", SessionRequest.withoutDelivery)
            }
            return (.fixed(.nothing(currency)), nil)
        }
        var object = try Failure.reading { () throws(JSONRefusal) in try reader.object("postage") }
        let amount = try object.optionalMoney("amount")
        let rate = try prices.rate(&object, of: "postage")
        let callback = try Failure.reading { () throws(JSONRefusal) in
            let callback = try object.optionalText("callback")
            try object.end()
            return callback
        }
        switch (amount, callback) {
        case (let amount?, nil): return (.fixed(amount), rate)
        case (nil, let callback?): return (.callback(callback), rate)
        default:
            throw Failure(field: "postage", "needs exactly one of amount and callback")
        }
    }

    private static func options(_ reader: inout JSONReader) throws(Failure) -> OrderDraft.Options {
        var options = OrderDraft.Options()
        let (mode, metadata) = try Failure.reading { () throws(JSONRefusal) in
            options.note = try reader.optionalText("note")
            options.returnURL = try reader.optionalText("returnUrl")
            options.hasUniqueReference = try reader.optionalFlag("uniqueReference") ?? false
            return (try reader.optionalText("captureMode"), try reader.texts("metadata"))
        }
        options.hasDelivery =
            try Failure.reading { () throws(JSONRefusal) in try reader.optionalFlag("delivery") } ?? true
        options.restrictions = try reader.deliveryRestrictions("deliveryRestrictions")
        guard options.hasDelivery || options.restrictions == nil else {
            throw Failure(field: "deliveryRestrictions", SessionRequest.withoutDelivery)
        }
        if let name = options.returnURL.flatMap({ OrderTerms.reservedName(in: $0) }) {
            throw Failure(
                .invalidRequest,
                message: "The address must not have a parameter \(name): it is added when the buyer returns.",
                field: "returnUrl"
            )
        }
        if let mode {
            guard let known = CaptureMode(word: mode.octets) else {
                throw Failure(.invalidRequest, message: "One of manual, automatic.", field: "captureMode")
            }
            options.captureMode = known
        }
        for (name, text) in metadata { options.metadata[name.octets] = text }
        return options
    }
}
