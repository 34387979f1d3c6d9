import AppStoreTransactions
import Primitives
import StrictJSON

extension Transaction {
    /// What is kept of a text, by the names that `app_store_apply` reads; times in microseconds since 1970.
    var columns: JSONValue {
        .object([
            JSONMember("environment", .string(environment.rawValue)), JSONMember("bundle", .string(bundleID)),
            JSONMember("transaction", .string(id)), JSONMember("original", .string(originalID)),
            JSONMember("product", .string(productID)), JSONMember("type", .string(type.word)),
            JSONMember("ownership", .string(ownership.word)), JSONMember("quantity", JSONValue(quantity)),
            JSONMember("token", JSONValue(appAccountToken?.description)), JSONMember("signed", signed.number),
            JSONMember("purchased", purchased?.number ?? .null), JSONMember("expires", expires?.number ?? .null),
            JSONMember("revoked", revoked?.number ?? .null),
            JSONMember("revocation", JSONValue(revocationType?.word)),
            JSONMember("thousandths", revocationPercentage.map { JSONValue($0) } ?? .null),
            JSONMember("price", price.map { JSONValue(Int($0)) } ?? .null),
            JSONMember("currency", JSONValue(currency)), JSONMember("storefront", JSONValue(storefront)),
        ])
    }
}

extension WallTime {
    fileprivate var number: JSONValue { JSONValue(Int(microseconds)) }
}
