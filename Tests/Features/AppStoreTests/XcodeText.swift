import AppStoreTransactions
import Primitives
import StrictJSON

/// A purchase as the test tools of Xcode write it: signed by nobody, so that tests make as many as they like.
struct XcodeText {
    var transaction: String
    var signed: Int
    var product = "consumable.ticket.10"
    var type = "Consumable"
    var quantity = 1
    var token: UUIDBytes?
    var ownership = "PURCHASED"
    var bundle = "jp.example.sallyport.tickets"
    /// When it was refunded, how, and how much of it in thousandths of a percent.
    var revoked: Int?
    var revocation: String?
    var thousandths: Int?
    var expires: Int?

    static let settings = ["app_store.environments": "Xcode"]

    /// As an app hands it in.
    var submission: String { #"{"signedTransaction":"\#(text)"}"# }

    var text: String {
        var members: [JSONMember] = [
            JSONMember("transactionId", .string(transaction)),
            JSONMember("originalTransactionId", .string(transaction)),
            JSONMember("bundleId", .string(bundle)), JSONMember("productId", .string(product)),
            JSONMember("type", .string(type)), JSONMember("quantity", JSONValue(quantity)),
            JSONMember("inAppOwnershipType", .string(ownership)), JSONMember("environment", "Xcode"),
            JSONMember("signedDate", JSONValue(signed)), JSONMember("purchaseDate", JSONValue(1_749_978_000_000)),
        ]
        if let token { members.append(JSONMember("appAccountToken", .string(token.description))) }
        if let revoked { members.append(JSONMember("revocationDate", JSONValue(revoked))) }
        if let revocation { members.append(JSONMember("revocationType", .string(revocation))) }
        if let thousandths { members.append(JSONMember("revocationPercentage", JSONValue(thousandths))) }
        if let expires { members.append(JSONMember("expiresDate", JSONValue(expires))) }
        let header = Base64URL.encode(
            Array(#"{"alg":"ES256","x5c":["MA=="],"kid":"Apple_Xcode_Key","typ":"JWT"}"#.utf8)
        )
        return
            "\(header).\(Base64URL.encode(JSONValue.object(members).bytes)).\(Base64URL.encode(Array(repeating: 1, count: 64)))"
    }
}
