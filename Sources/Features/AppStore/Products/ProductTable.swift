import AppStoreTransactions
import EventIO
import Primitives
import Settings
import StrictJSON

/// What the merchant sells in the App Store, and what a piece of each is worth.
struct ProductTable: Sendable {
    /// Units of a piece, by product id; zero for what is no consumable.
    private var units: [OctetText: Int64] = [:]
    /// Offers that apps ask for by themselves, by product id.
    private var offers: [OctetText: Set<OctetText>] = [:]
    /// Products whose introductory offer apps ask for by themselves.
    private var introductory: Set<OctetText> = []

    /// The most that a piece can be worth.
    static let greatestUnits = 1_000_000
    private static let greatestSize = 1 << 20

    /// Reads the file of the products.
    ///
    /// - Throws: `ConfigurationError` with all that is wrong.
    init(path: String) throws(ConfigurationError) {
        let content: [UInt8]
        do throws(IOError) {
            content = try Files.read(path, limit: ProductTable.greatestSize)
        } catch {
            throw ConfigurationError(problems: ["app_store.products: \(path) cannot be read: \(error.sentence)"])
        }
        try self.init(content, path)
    }

    /// The table of a JSON object of objects.
    init(_ content: [UInt8], _ path: String) throws(ConfigurationError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(content)
        } catch {
            throw ConfigurationError(problems: ["app_store.products: \(path): \(error)"])
        }
        guard case .object(let members) = value else {
            throw ConfigurationError(problems: ["app_store.products: \(path): not an object of products"])
        }
        var problems: [String] = []
        for member in members {
            do throws(JSONRefusal) {
                guard PrintableText.isGood(member.name, length: 1...255) else {
                    throw JSONRefusal(member.name, .unknown)
                }
                var product = try JSONReader(member.value, at: member.name)
                let number = try product.optionalInteger("units") ?? 0
                guard (0...ProductTable.greatestUnits).contains(number) else {
                    throw product.refusal("units", .notA("a whole number from 0 to \(ProductTable.greatestUnits)"))
                }
                let ids = try product.optionalTexts("offers") ?? []
                guard ids.allSatisfy({ OfferOrder.isID($0) }) else {
                    throw product.refusal("offers", .notA("a list of ids of offers, printable ASCII without blanks"))
                }
                let hasIntroductory = try product.optionalFlag("introductory") ?? false
                try product.end()
                units[member.name.octets] = Int64(number)
                offers[member.name.octets] = Set(ids.map(\.octets))
                if hasIntroductory { introductory.insert(member.name.octets) }
            } catch {
                problems.append("app_store.products: \(path): \(error)")
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    /// How many products there are.
    var count: Int { units.count }

    /// What a piece is worth; `nil` for what is not sold.
    func units(of product: String) -> Int64? { units[product.octets] }

    /// What a piece of a purchase is worth; `nil` for what is not sold.
    func worth(of transaction: Transaction) -> Int64? {
        let units = units(of: transaction.productID)
        // A consumable that is worth nothing is a mistake in the table.
        return transaction.type == .consumable && units == 0 ? nil : units
    }

    /// Whether apps may have an offer signed that nobody but they ask for.
    func isForApps(_ order: OfferOrder) -> Bool {
        switch order.kind {
        case .introductory: introductory.contains(order.productID.octets)
        case .promotional(let id), .legacy(let id): offers[order.productID.octets]?.contains(id.octets) ?? false
        }
    }
}
