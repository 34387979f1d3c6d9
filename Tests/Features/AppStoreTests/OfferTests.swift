import AppStoreTransactions
import Cryptography
import EventIO
import FeatureTestKit
import HTTPCore
import JOSE
import Primitives
import StrictJSON
import TestKit
import Testing

@testable import AppStore

@Suite struct `Offers` {
    @Test func `are signed for apps where the merchant lists them, and for programs whatever they are`() async throws {
        try await withOffers { shop, key in
            let client = try await Client.open(shop)
            let listed = #"{"kind":"promotional","productId":"premium","offerId":"back","transactionId":"7"}"#
            let answer = try await client.app(.post, "/offers", json: listed)
            let claims = try Self.claims(answer, key)
            #expect(claims["aud"]?.text == "promotional-offer" && claims["bid"]?.text == "jp.example.sallyport.tickets")
            #expect(claims["productId"]?.text == "premium" && claims["offerIdentifier"]?.text == "back")
            #expect(claims["transactionId"]?.text == "7" && claims["iss"]?.text == OfferKey.issuer)
            let again = try Self.claims(try await client.app(.post, "/offers", json: listed), key)
            #expect(claims["nonce"]?.text != again["nonce"]?.text)

            let other = listed.replacing("back", with: "other")
            #expect(try await client.app(.post, "/offers", json: other)["code"]?.text == "offer_not_listed")
            let foreign = listed.replacing("premium", with: "consumable.ticket.1")
            #expect(try await client.app(.post, "/offers", json: foreign)["code"]?.text == "offer_not_listed")
            let program = try await client.shop(.post, "/offers", json: other)
            #expect(try Self.claims(program, key)["offerIdentifier"]?.text == "other")
        }
    }

    /// The account's own token is in the signature: what the app says of it is not even read.
    @Test func `of the original form are for the token of the account, and no other`() async throws {
        try await withOffers { shop, key in
            let (client, other) = (try await Client.open(shop), try await Client.open(shop))
            let own = try await client.app(.get, "/customer")["appAccountToken"]?.text ?? ""
            let foreign = try await other.app(.get, "/customer")["appAccountToken"]?.text ?? ""
            let order = #"{"kind":"promotional_legacy","productId":"premium","offerId":"back"}"#
            let answer = try await client.app(.post, "/offers", json: order)
            #expect(answer["appAccountToken"]?.text == own)
            let publicKey = try ES256PublicKey(pem: key.publicPEM())
            func isSigned(for token: String) -> Bool {
                let parts = [
                    "jp.example.sallyport.tickets", OfferKey.id, "premium", "back", token, answer["nonce"]?.text ?? "",
                    String(answer["timestamp"]?.integer ?? 0),
                ]
                let message = OfferSigner.message(parts)
                return OfferSigner.isGood(answer["signature"]?.text ?? "", of: message, by: publicKey)
            }
            #expect(isSigned(for: own) && !isSigned(for: foreign))
            let named = order.replacing("}", with: #","appAccountToken":"\#(foreign)"}"#)
            #expect(try await client.app(.post, "/offers", json: named)["signature"] == nil)
        }
    }

    @Test func `to new customers need a transaction, and the word of the merchant`() async throws {
        try await withOffers { shop, key in
            let client = try await Client.open(shop)
            let order = #"{"kind":"introductory","productId":"premium","transactionId":"70"}"#
            let claims = try Self.claims(try await client.app(.post, "/offers", json: order), key)
            #expect(claims["aud"]?.text == "introductory-offer-eligibility")
            #expect(claims["allowIntroductoryOffer"]?.flag == true && claims["transactionId"]?.text == "70")
            let no = order.replacing("}", with: #","allowed":false}"#)
            let denied = try await client.shop(.post, "/offers", json: no)
            #expect(try Self.claims(denied, key)["allowIntroductoryOffer"]?.flag == false)
            let without = #"{"kind":"introductory","productId":"premium"}"#
            #expect(try await client.app(.post, "/offers", json: without)["field"]?.text == "transactionId")
            let unlisted = order.replacing("premium", with: "consumable.ticket.1")
            #expect(try await client.app(.post, "/offers", json: unlisted)["code"]?.text == "offer_not_listed")
        }
    }

    @Test(arguments: [
        (#"{"kind":"other","productId":"premium","offerId":"back"}"#, "kind"),
        (#"{"kind":"promotional","productId":"premium"}"#, "offerId"),
        (#"{"kind":"promotional","productId":"pre mium","offerId":"back"}"#, "productId"),
        (#"{"kind":"promotional","productId":"premium","offerId":"ba\u2063ck"}"#, "offerId"),
        (#"{"kind":"promotional","productId":"premium","offerId":"back","allowed":true}"#, "allowed"),
        (#"{"kind":"promotional_legacy","productId":"premium","offerId":"back","transactionId":"7"}"#, "transactionId"),
        (#"{"kind":"introductory","productId":"premium","offerId":"back","transactionId":"7"}"#, "offerId"),
    ])
    func `are refused with the field that is wrong`(order: String, field: String) async throws {
        try await withOffers { shop, _ in
            let client = try await Client.open(shop)
            #expect(try await client.shop(.post, "/offers", json: order)["field"]?.text == field)
        }
    }

    @Test func `are signed for no account that there is not`() async throws {
        try await withOffers { shop, _ in
            let client = try await Client.open(shop)
            let order = #"{"kind":"promotional","productId":"premium","offerId":"back"}"#
            let nobody = "/v1/app-store/accounts/\(UUIDBytes(high: 1, low: 1))/offers"
            #expect(try await client.program.ask(.post, nobody, key: client.key, json: order).status == 404)
        }
    }

    @Test func `are not signed without a key`() async throws {
        try await withAppStore { shop in
            let client = try await Client.open(shop)
            let order = #"{"kind":"promotional","productId":"premium","offerId":"back"}"#
            #expect(try await client.shop(.post, "/offers", json: order)["code"]?.text == "offers_off")
        }
    }

    /// The claims of a signed offer, whose signature is the key's.
    private static func claims(_ answer: JSONValue, _ key: ES256PrivateKey) throws -> JSONValue {
        let text = try #require(answer["signedOffer"]?.text, "\(answer)")
        let signed = try CompactJWS(text, limit: 65_536)
        try signed.verify(with: JWSVerificationKey(of: key), allowing: [.es256])
        #expect(signed.header.keyID == OfferKey.id)
        return signed.payload
    }
}

private enum OfferKey {
    static let issuer = "57246542-0000-4000-8000-0824d0110720"
    static let id = "SP2X9R4HXF"
}

private func withOffers(
    _ body: @escaping @Sendable (AppStoreFixture, ES256PrivateKey) async throws -> Void
) async throws {
    let pem = try ES256PrivateKey.generatePEM()
    let products = #"{"consumable.ticket.1":{"units":1},"premium":{"offers":["back"],"introductory":true}}"#
    try await withTemporaryFolder { folder in
        try Files.write("\(folder)/key.p8", pem.reveal(), mode: 0o600)
        let settings = [
            "app_store.private_key": "\(folder)/key.p8", "app_store.issuer_id": OfferKey.issuer,
            "app_store.key_id": OfferKey.id,
        ]
        try await withAppStore(settings, products: products) { try await body($0, try ES256PrivateKey(pem: pem)) }
    }
}
