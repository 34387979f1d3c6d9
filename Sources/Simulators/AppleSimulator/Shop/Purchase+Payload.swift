import Cryptography
import Primitives
import StrictJSON

/// Times as texts of an environment have them.
struct TextTimes: Sendable {
    let environment: StoreEnvironment

    /// Milliseconds since 1970; with a fraction in texts of Xcode.
    func value(_ time: WallTime) -> JSONValue {
        let milliseconds = time.microseconds / 1_000
        guard environment == .xcode else { return .number(String(milliseconds)) }
        let rest = String(10_000 + (time.microseconds % 1_000) * 10 + 3).dropFirst()
        return .number("\(milliseconds).\(rest)")
    }

    /// The member, where there is a time.
    func member(_ name: String, _ time: WallTime?) -> [JSONMember] {
        time.map { [JSONMember(name, value($0))] } ?? []
    }
}

/// What a device adds to the texts that it is given.
struct DeviceMark: Sendable {
    /// UUID in lower case.
    let nonce: String
    /// Likewise.
    let deviceID: String

    var members: [JSONMember] {
        let digest = DigestAlgorithm.sha384.digest(of: Array((nonce + deviceID).utf8))
        return [
            JSONMember("deviceVerification", .string(Base64.encode(digest))),
            JSONMember("deviceVerificationNonce", .string(nonce)),
        ]
    }
}

extension Purchase {
    /// The payload of its transaction.
    ///
    /// - Parameters:
    ///   - customer: Who bought.
    ///   - time: When it is signed.
    ///   - mark: Of the device that gets it; `nil` for texts of the API.
    func payload(
        bundle: String,
        customer: StoreCustomer,
        signedAt time: WallTime,
        mark: DeviceMark? = nil
    ) -> [JSONMember] {
        let times = TextTimes(environment: environment)
        var members = [
            JSONMember("transactionId", .string(id)), JSONMember("originalTransactionId", .string(originalID)),
            JSONMember("bundleId", .string(bundle)), JSONMember("productId", .string(product)),
            JSONMember("purchaseDate", times.value(purchasedAt)),
            JSONMember("originalPurchaseDate", times.value(originallyPurchasedAt)),
            JSONMember("quantity", JSONValue(quantity)), JSONMember("type", .string(kind.rawValue)),
            JSONMember("inAppOwnershipType", .string(ownership.rawValue)), JSONMember("signedDate", times.value(time)),
            JSONMember("environment", .string(environment.rawValue)),
            JSONMember("transactionReason", isRenewal ? "RENEWAL" : "PURCHASE"),
            JSONMember("storefront", .string(storefront)),
            JSONMember("storefrontId", .string(Purchase.storefrontIDs[storefront] ?? "143441")),
            JSONMember("price", JSONValue(price)), JSONMember("currency", .string(currency)),
        ]
        if environment != .xcode {
            members.append(JSONMember("appTransactionId", .string(customer.appTransactionID)))
        }
        if let token { members.append(JSONMember("appAccountToken", .string(token))) }
        if let group { members.append(JSONMember("subscriptionGroupIdentifier", .string(group))) }
        if let webOrderLineItemID {
            members.append(JSONMember("webOrderLineItemId", .string(webOrderLineItemID)))
        }
        members += times.member("expiresDate", expiresAt)
        if let revocation {
            members += [
                JSONMember("revocationDate", times.value(revocation.date)),
                JSONMember("revocationReason", JSONValue(revocation.reason)),
                JSONMember("revocationType", .string(revocation.kind.rawValue)),
                JSONMember("revocationPercentage", JSONValue(revocation.percentage)),
            ]
        }
        return members + (mark?.members ?? [])
    }

    private static let storefrontIDs = ["JPN": "143462", "USA": "143441", "GBR": "143444", "DEU": "143443"]
}

extension StoreCustomer {
    /// The payload of the app transaction: that the customer has the app.
    func payload(
        app: (bundle: String, id: Int),
        environment: StoreEnvironment,
        signedAt time: WallTime,
        mark: DeviceMark?
    ) -> [JSONMember] {
        let times = TextTimes(environment: environment)
        return [
            JSONMember("receiptType", .string(environment.rawValue)), JSONMember("appAppleId", JSONValue(app.id)),
            JSONMember("bundleId", .string(app.bundle)), JSONMember("applicationVersion", "1"),
            JSONMember("versionExternalIdentifier", 1), JSONMember("receiptCreationDate", times.value(time)),
            JSONMember("originalPurchaseDate", times.value(since)), JSONMember("originalApplicationVersion", "1"),
            JSONMember("appTransactionId", .string(appTransactionID)), JSONMember("originalPlatform", "iOS"),
        ] + (mark?.members ?? [])
    }
}
