import HTTPCore
import ServiceAPI
import StrictJSON
import Web

// What is known of the routes that sign offers.
extension RouteDescription {
    static let signOffer = RouteDescription(
        .post,
        "/app/v1/app-store/offers",
        "signOffer",
        .appStore,
        .appStore,
        "have an offer signed for StoreKit that the merchant lists for apps",
        offer
    )

    static let signAccountOffer = RouteDescription(
        .post,
        "/v1/app-store/accounts/{id}/offers",
        "signAccountOffer",
        .appStore,
        .appStoreWrite,
        "have any offer signed for the app of an account",
        offer
    )

    private static var offer: Shape {
        var shape = Shape(.ok, .named(.offer), .offer)
        let product = SchemaMember.required("productId", .matching(id), "the subscription")
        let offerID = SchemaMember.required("offerId", .matching(id), "as App Store Connect has it")
        shape.body = .either([
            .object([
                .required("kind", .word(["promotional"])), product, offerID,
                .optional("transactionId", .matching("^[!-~]{1,128}$"), "any of the customer, whom it is then for"),
            ]),
            .object([.required("kind", .word(["promotional_legacy"])), product, offerID]),
            .object([
                .required("kind", .word(["introductory"])), product,
                .required("transactionId", .matching("^[!-~]{1,128}$"), "any of the customer, or `appTransactionID`"),
                .optional("allowed", .flag, "whether the customer may have it; default: true"),
            ]),
        ])
        shape.example = #"{"kind":"promotional","productId":"premium.month","offerId":"welcome-back"}"#
        shape.bodyLimit = 4_096
        shape.claim = .none
        shape.problems = [.offerNotListed, .offersOff]
        return shape
    }

    private static let id = "^[!-~]{1,255}$"
}

extension NamedSchema {
    fileprivate static let offer = NamedSchema(
        "AppStoreOffer",
        .object([
            .kind("appStoreOffer"), .required("kind", .word(OfferOrder.words)), .required("productId", .text(1...255)),
            .optional("offerId", .text(1...255)),
            .optional("signedOffer", .text(1...4_096), "for `compactJWS` of StoreKit; used within 24 hours"),
            .optional("keyId", .text(1...255), "of the form of the original StoreKit, as what follows"),
            .optional("nonce", .text(36...36)),
            .optional("timestamp", .integer(0...Int.max), "milliseconds since 1970"),
            .optional("signature", .text(1...255), "Base64"),
            .optional("appAccountToken", .text(36...36), "the account's own, which the app passes with the purchase"),
        ])
    )
}

extension AnswerExample {
    fileprivate static let offer = AnswerExample(
        "AppStoreOffer",
        "an offer that is signed",
        [
            "object": "appStoreOffer", "kind": "promotional", "productId": "premium.month", "offerId": "welcome-back",
            "signedOffer": "eyJhbGciOiJFUzI1NiIsImtpZCI6IjJYOVI0SFhGMzQifQ.eyJhdWQiOiJwcm9tb3Rpb25hbC1vZmZlciJ9.c2ln",
        ]
    )
}
