package import Commerce
package import Primitives

/// How the postage of an order comes about.
package enum Postage: Sendable, Hashable {
    /// It is the same wherever the buyer lives.
    case fixed(Money)
    /// It follows from the buyer's address by a rule in yen.
    case byAddress(PostageRule)
    /// The merchant is asked at this https address once the buyer has chosen an address.
    case callback(String)

    /// Of which discounts may take off something: a price that is known; nothing of one that would depend on the address.
    fileprivate var spared: Money? {
        if case .fixed(let sum) = self { sum } else { nil }
    }
}

/// When the money of an order is taken.
package enum CaptureMode: String, Sendable, Hashable, CaseIterable {
    /// By a call of the merchant's, at most 30 days after the buyer paid.
    case manual
    /// Together with the authorisation.
    case automatic
}

/// What is to be sold to one buyer, checked: the one description from which every session is opened, a merchant's and the
/// shop's own.
///
/// The sums are the merchant's. All are in one currency, and together they can be charged.
package struct OrderDraft: Sendable, Hashable {
    /// What an order may have besides its price.
    package struct Options: Sendable, Hashable {
        /// A line for the buyer: at most 255 printable characters.
        package var note: String?
        /// When the money is taken.
        package var captureMode = CaptureMode.manual
        /// Where a buyer in a browser comes back to: an https address.
        package var returnURL: String?
        /// The merchant's own: at most 20 names of 1 to 40 printable characters with texts of at most 255.
        package var metadata: [OctetText: String] = [:]
        /// What comes on top or is taken off: at most 20, names of 1 to 120 printable characters.
        package var adjustments: [Adjustment] = []
        /// At which the postage is taxed, where the prices include tax.
        package var postageRate = TaxRate.standard
        /// Whether it is refused where another session of its reference is open or paid.
        package var hasUniqueReference = false
        /// Whether something is sent to an address of the buyer's.
        package var hasDelivery = true
        /// To which addresses it may go; `nil` for all in Japan.
        package var restrictions: DeliveryRestrictions?

        /// No note, no way back, no metadata, no adjustments, capture by a call, and delivery everywhere.
        package init() {}
    }

    /// The merchant's name for the order: 1 to 100 printable characters; need not be unique.
    ///
    /// `nil` leaves it to the order's number.
    package let reference: String?
    /// 1 to 200, no id twice.
    package let lines: [DraftLine]
    /// The sum of the lines at their prices; more than nothing.
    package let subtotal: Money
    /// The tax that comes on top of the lines; nothing where the prices include it.
    package let tax: Money
    /// What is paid at each rate but for the postage; `nil` where the prices exclude tax.
    package let bases: TaxBases?
    /// How the postage comes about.
    package let postage: Postage
    /// What the order has besides its price.
    package let options: Options
    /// The order as the pages show it; `nil` in a currency that they do not show.
    package let shown: Order?

    /// The greatest number of lines.
    package static let maximumLines = 200
    /// The greatest number of metadata.
    package static let maximumMetadata = 20

    /// The greatest number of adjustments.
    package static let maximumAdjustments = 20

    /// The currency of every sum of the order.
    package var currency: Currency { tax.currency }

    /// What the buyer pays, or `nil` while the postage is not known.
    package var total: Money? {
        if case .fixed(let sum) = postage { total(withPostage: sum) } else { nil }
    }

    /// An order, checked.
    ///
    /// - Parameters:
    ///   - reference: 1 to 100 printable characters.
    ///   - lines: 1 to 200, no id twice; together more than nothing. All have a rate, or none has.
    ///   - tax: In the currency of the lines; nothing where they have rates.
    ///   - postage: In the currency of the lines, or a way to learn it.
    ///   - options: What the order has besides its price.
    /// - Throws: `invalid`, `amount`; the field says which member.
    package init(
        reference: String,
        lines: [DraftLine],
        tax: Money,
        postage: Postage,
        options: Options = Options()
    ) throws(DraftRefusal) {
        let reference = try DraftRefusal.cleaned(reference, "reference", 1...100)
        try self.init(named: reference, lines, tax, postage, try OrderDraft.cleaned(options))
    }

    /// An order of the shop itself, which is called by its number.
    ///
    /// - Parameters:
    ///   - shop: Says what its orders have besides their price.
    /// - Throws: `amount` where the total exceeds the limit of one charge.
    package init(_ order: Order, of shop: OwnShop) throws(DraftRefusal) {
        var lines: [DraftLine] = []
        lines.reserveCapacity(order.lines.count)
        for line in order.lines {
            lines.append(
                try DraftLine(
                    id: line.article.id,
                    name: line.article.name,
                    unitPrice: Money(line.article.price),
                    quantity: line.quantity,
                    taxRate: line.article.taxRate
                )
            )
        }
        guard let tax = Money(units: order.taxIncluded.amount - order.subtotal.amount, .jpy) else {
            throw DraftRefusal(.amount, "tax", "the amount is negative")
        }
        try self.init(named: nil, lines, tax, shop.postage, shop.options, shown: order)
    }

    private init(
        named reference: String?,
        _ lines: [DraftLine],
        _ tax: Money,
        _ postage: Postage,
        _ options: Options,
        shown: Order? = nil
    ) throws(DraftRefusal) {
        self.reference = reference
        self.lines = lines
        self.tax = tax
        self.postage = postage
        self.options = options
        subtotal = try OrderDraft.subtotal(lines, tax.currency)
        try OrderDraft.check(options.adjustments, on: subtotal.units + tax.units, postage)
        if let shown {
            self.shown = shown
            bases = shown.bases
        } else {
            bases = try OrderDraft.bases(lines, tax, options, postage)
            self.shown = try OrderDraft.shown(lines, tax, options, postage)
        }
        try checkSums()
    }

    /// The order as the pages show it.
    private static func shown(
        _ lines: [DraftLine],
        _ tax: Money,
        _ options: Options,
        _ postage: Postage
    ) throws(DraftRefusal) -> Order? {
        guard let tax = tax.yen else { return nil }
        var shown: [OrderLine] = []
        do throws(CommerceError) {
            for line in lines {
                guard let price = line.unitPrice.yen else { return nil }
                let article = Article(id: line.id, name: line.name, price: price, taxRate: line.taxRate)
                shown.append(try OrderLine(article: article, quantity: line.quantity))
            }
            return try Order(
                lines: shown,
                tax: tax,
                adjustments: options.adjustments,
                postageRate: options.postageRate,
                sparing: postage.spared?.yen ?? .zero
            )
        } catch {
            throw DraftRefusal(.amount, "lines", "the sum exceeds the limit of an order")
        }
    }

    /// What is paid at each rate; `nil` where the prices exclude tax.
    private static func bases(
        _ lines: [DraftLine],
        _ tax: Money,
        _ options: Options,
        _ postage: Postage
    ) throws(DraftRefusal) -> TaxBases? {
        let adjustments = options.adjustments
        let includesTax = lines[0].taxRate != nil
        if let odd = lines.firstIndex(where: { ($0.taxRate != nil) != includesTax }) {
            throw DraftRefusal(.invalid, "lines[\(odd)].taxRate", "all lines have a rate, or none has")
        }
        guard includesTax else {
            guard let odd = adjustments.firstIndex(where: { $0.taxRate != nil }) else { return nil }
            throw DraftRefusal(.invalid, "adjustments[\(odd)].taxRate", "only where the prices include tax")
        }
        guard tax.units == 0 else {
            throw DraftRefusal(.invalid, "tax", "computed from the rates where the prices include tax")
        }
        // At most 220 trillion: no overflow.
        let whole = lines.reduce(adjustments.units) { $0 + $1.sum.units }
        guard whole <= LedgerRules.chargeCeiling(tax.currency).units else {
            throw DraftRefusal(.amount, "lines", "the total exceeds the limit of one charge")
        }
        let sums = lines.lazy.map { (rate: $0.taxRate ?? .standard, sum: $0.sum.units) }
        let spared = (rate: options.postageRate, sum: postage.spared?.units ?? 0)
        guard let bases = TaxBases(of: sums, adjustments, sparing: spared) else {
            throw DraftRefusal(.amount, "adjustments", "the discounts of a rate are greater than what is paid at it")
        }
        return bases
    }

    /// What the buyer pays with a given postage.
    ///
    /// - Parameter postage: What was fixed, or what the merchant answered.
    /// - Returns: The sum, more than nothing, or `nil` in another currency and above what one charge can be.
    package func total(withPostage postage: Money) -> Money? {
        guard let whole = try? subtotal.adding(tax).adding(postage),
            let total = Money(units: whole.units + options.adjustments.units, currency), total.units > 0,
            total.units <= LedgerRules.chargeCeiling(currency).units
        else { return nil }
        return total
    }

    private static func subtotal(_ lines: [DraftLine], _ currency: Currency) throws(DraftRefusal) -> Money {
        guard lines.count >= 1, lines.count <= maximumLines else {
            throw DraftRefusal(.invalid, "lines", "1 to \(maximumLines) lines")
        }
        var units: Int64 = 0
        for (index, line) in lines.enumerated() {
            // So few lines: comparing each with those before it needs no set.
            guard !lines[..<index].contains(where: { $0.id.octets == line.id.octets }) else {
                throw DraftRefusal(.invalid, "lines[\(index)].id", "another line has the same id")
            }
            guard line.unitPrice.currency == currency else {
                throw DraftRefusal(.amount, "lines[\(index)].unitPrice", "not the currency of the order")
            }
            // At most 200 trillion: no overflow.
            units += line.sum.units
        }
        guard units > 0, let subtotal = Money(units: units, currency) else {
            throw DraftRefusal(.amount, "lines", "the sum of the lines is zero, or exceeds the limit of an order")
        }
        return subtotal
    }

    private func checkSums() throws(DraftRefusal) {
        var least = Money(units: 0, currency)
        switch postage {
        case .fixed(let sum): least = sum
        case .byAddress(let rule): least = Money(rule.dearest)
        case .callback(let address):
            _ = try DraftRefusal.reading("postage.callback") { () throws(TextRefusal) in
                try CallbackOrigin(reading: address, orClearLoopback: true)
            }
        }
        guard let least, least.currency == currency else {
            throw DraftRefusal(.amount, "postage.amount", "not the currency of the order")
        }
        guard total(withPostage: least) != nil else {
            guard subtotal.units + tax.units + options.adjustments.units + least.units > 0 else {
                throw DraftRefusal(.amount, "adjustments", "nothing is left to pay")
            }
            throw DraftRefusal(.amount, "lines", "the total exceeds the limit of one charge")
        }
    }

    /// The options with what is kept of their texts; an empty note is none.
    private static func cleaned(_ given: Options) throws(DraftRefusal) -> Options {
        var options = given
        options.note = try given.note.map { (note) throws(DraftRefusal) in
            try DraftRefusal.cleaned(note, "note", 0...255)
        }
        if options.note?.isEmpty == true { options.note = nil }
        if let address = given.returnURL {
            _ = try DraftRefusal.reading("returnUrl") { () throws(TextRefusal) in
                try CallbackOrigin(reading: address)
            }
        }
        options.metadata = try cleaned(metadata: given.metadata.map { (name: $0.key.string, text: $0.value) })
        guard given.adjustments.count <= maximumAdjustments else {
            throw DraftRefusal(.invalid, "adjustments", "at most \(maximumAdjustments)")
        }
        for (index, adjustment) in given.adjustments.enumerated() {
            let name = try DraftRefusal.cleaned(adjustment.name, "adjustments[\(index)].name", 1...120)
            options.adjustments[index].name = name
        }
        return options
    }

    private static func check(
        _ adjustments: [Adjustment],
        on sum: Int64,
        _ postage: Postage
    ) throws(DraftRefusal) {
        guard let postage = postage.spared else {
            // Whether anything is left to pay would depend on the address.
            guard sum + adjustments.units >= 0 else {
                throw DraftRefusal(
                    .amount,
                    "adjustments",
                    "the discounts are greater than the lines and their tax; they may pay the postage only where it is an amount"
                )
            }
            return
        }
        guard sum + adjustments.units + postage.units > 0 else {
            throw DraftRefusal(.amount, "adjustments", "nothing is left to pay")
        }
    }

    /// What is kept of the merchant's own names and texts.
    ///
    /// - Parameter members: Of an order, or of a request about its money.
    /// - Throws: `invalid` for too many, for texts that are not taken, and for two names of which the same is kept.
    package static func cleaned(
        metadata members: [(name: String, text: String)]
    ) throws(DraftRefusal) -> [OctetText: String] {
        guard members.count <= maximumMetadata else {
            throw DraftRefusal(.invalid, "metadata", "at most \(maximumMetadata) members")
        }
        var metadata: [OctetText: String] = [:]
        for (name, text) in members {
            let name = try DraftRefusal.cleaned(name, "metadata", 1...40, "a name")
            let text = try DraftRefusal.cleaned(text, "metadata.\(name)", 0...255)
            guard metadata.updateValue(text, forKey: name.octets) == nil else {
                throw DraftRefusal(.invalid, "metadata.\(name)", "two names differ only in what nobody sees")
            }
        }
        return metadata
    }
}
