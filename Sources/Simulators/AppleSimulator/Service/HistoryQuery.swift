import HTTPCore
import Primitives
import SimulatorCore

/// Filters and order of a history.
struct HistoryQuery: Sendable {
    private(set) var start: Int?
    private(set) var end: Int?
    private(set) var products: [String] = []
    private(set) var kinds: [Purchase.Kind] = []
    private(set) var groups: [String] = []
    private(set) var ownership: Purchase.Ownership?
    private(set) var isDescending = false
    private(set) var isRevoked: Bool?
    /// As it came.
    private(set) var revision: String?
    /// Everything but the revision, to be the same on each page.
    private var words: [String] = []

    /// Reads a query.
    ///
    /// - Throws: The code of the first filter that is wrong.
    init(_ query: String) throws(APIFailure) {
        for (name, value) in try Self.parameters(query) {
            if name.octets == "revision" {
                revision = value
                continue
            }
            words.append(name + "=" + value)
            try take(name, value)
        }
        if let start, let end, start >= end { throw APIFailure(4_000_013, "Invalid request. startDate >= endDate.") }
    }

    private mutating func take(_ name: String, _ value: String) throws(APIFailure) {
        switch name {
        case "startDate": start = try Self.date(value, 4_000_015, name)
        case "endDate": end = try Self.date(value, 4_000_016, name)
        case "productId":
            guard !value.isEmpty else { throw .bad(4_000_023, name) }
            products.append(value)
        case "productType":
            guard let kind = Purchase.Kind.allCases.first(where: { $0.filterName.octets == value.octets }) else {
                throw .bad(4_000_022, name)
            }
            kinds.append(kind)
        case "subscriptionGroupIdentifier":
            guard !value.isEmpty else { throw .bad(4_000_024, name) }
            groups.append(value)
        case "inAppOwnershipType":
            guard let found = Purchase.Ownership(word: value.octets) else { throw .bad(4_000_026, name) }
            ownership = found
        case "sort":
            guard ["ASCENDING", "DESCENDING"].contains(value) else { throw .bad(4_000_021, name) }
            isDescending = value == "DESCENDING"
        case "revoked":
            // The vendor's library for Python writes a capital.
            let word = value.octets.lowercase
            guard ["true", "false"].contains(word) else { throw .bad(4_000_030, name) }
            isRevoked = word.octets == "true"
        default: break
        }
    }

    /// The parameters of a query, in order.
    static func parameters(_ query: String) throws(APIFailure) -> [(name: String, value: String)] {
        let bytes = Array(query.utf8)
        do throws(HTTPParameterError) {
            return try HTTPParameters(bytes.span).all
        } catch { throw APIFailure(4_000_000, "Bad request.") }
    }

    private static func date(_ text: String, _ code: Int, _ name: String) throws(APIFailure) -> Int {
        guard let time = Int(text), time >= 0 else { throw .bad(code, name) }
        return time
    }

    /// What list a page is of.
    func list(of customer: StoreCustomer, _ operation: APIOperation) -> String {
        PageRevision.list([customer.appTransactionID, operation.rawValue] + words.sorted())
    }

    /// Whether a purchase passes: any of the values of one filter, all filters.
    func fits(_ purchase: Purchase) -> Bool {
        let date = Int(purchase.purchasedAt.microseconds / 1_000)
        return (start.map { date >= $0 } ?? true) && (end.map { date < $0 } ?? true)
            && (products.isEmpty || products.contains(purchase.product))
            && (kinds.isEmpty || kinds.contains(purchase.kind))
            && (groups.isEmpty || purchase.group.map(groups.contains) ?? false)
            && (ownership.map { $0 == purchase.ownership } ?? true)
            && (isRevoked.map { $0 == (purchase.revocation != nil) } ?? true)
    }
}

extension APIFailure {
    /// A parameter or member is wrong.
    static func bad(_ code: Int, _ name: String) -> APIFailure { APIFailure(code, "Invalid request. Bad \(name).") }
}
