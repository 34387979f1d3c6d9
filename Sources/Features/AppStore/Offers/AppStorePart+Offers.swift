import AppStoreTransactions
import Cryptography
import EventIO
import HTTPCore
import Primitives
import ServerCore
import ServiceAPI
import StrictJSON
import Web

extension AppStorePart {
    /// Signs an offer for StoreKit.
    func offer(_ call: ServiceCall<AppStorePart>) async throws(Failure) -> ServiceAnswer {
        var body = try call.body()
        let order = try Failure.reading { () throws(JSONRefusal) in
            let order = try OfferOrder(&body)
            try body.end()
            return order
        }
        let account = try call.account
        guard let signers = process.keys?.current.key.offers else { throw Failure(.offersOff) }
        // Who runs the app can change it: what it gets by itself is the merchant's choice.
        guard !call.isOfApp || process.products.isForApps(order) else { throw Failure(.offerNotListed) }
        let common: [JSONMember] = [
            JSONMember("object", "appStoreOffer"), JSONMember("kind", .string(order.kind.word)),
            JSONMember("productId", .string(order.productID)),
        ]
        let signed = try await sign(order, signers, for: account, at: call.now)
        metrics.count(order.kind)
        return ServiceAnswer(.ok, .object(common + signed))
    }

    private func sign(
        _ order: OfferOrder,
        _ signers: OfferSigners,
        for account: UUIDBytes,
        at now: WallTime
    ) async throws(Failure) -> [JSONMember] {
        // Whatever the form: there is no offer for an account that is erased or unknown.
        let token = try await ownToken(of: account)
        let nonce = UUIDBytes(version4: loop.reactor.random)
        switch order.kind {
        case .introductory(let isAllowed):
            let offer = SignedOffer.introductory(
                productID: order.productID,
                isAllowed: isAllowed,
                transactionID: order.transactionID ?? ""
            )
            return [JSONMember("signedOffer", .string(try text(offer, signers, nonce, at: now)))]
        case .promotional(let id):
            let offer = SignedOffer.promotional(
                productID: order.productID,
                offerID: id,
                transactionID: order.transactionID
            )
            return [
                JSONMember("offerId", .string(id)),
                JSONMember("signedOffer", .string(try text(offer, signers, nonce, at: now))),
            ]
        case .legacy(let id):
            let signed: OfferSignature
            do throws(OfferError) {
                signed = try signers.legacy.sign(offer: id, of: order.productID, for: token, nonce: nonce, at: now)
            } catch {
                throw Failure(.internalError, "app_store: the offer is not signed: \(error)")
            }
            return [
                JSONMember("offerId", .string(id)), JSONMember("keyId", .string(signed.keyID)),
                JSONMember("nonce", .string(signed.nonce.description)),
                JSONMember("timestamp", JSONValue(Int(signed.timestamp))),
                JSONMember("signature", .string(signed.signature)),
                JSONMember("appAccountToken", .string(token.description)),
            ]
        }
    }

    private func text(
        _ offer: SignedOffer,
        _ signers: OfferSigners,
        _ nonce: UUIDBytes,
        at now: WallTime
    ) throws(Failure) -> String {
        do throws(CryptographyError) {
            return try signers.text.sign(offer, nonce: nonce, at: now)
        } catch {
            throw Failure(.internalError, "app_store: the offer is not signed: \(error.detail)")
        }
    }

    /// The token that names the account in purchases; never one that somebody says.
    private func ownToken(of account: UUIDBytes) async throws(Failure) -> UUIDBytes {
        let customer = try await token(of: account, wanted: nil)
        guard let token = customer["appAccountToken"]?.text.flatMap({ UUIDBytes($0) }) else {
            throw Failure(.internalError)
        }
        return token
    }
}

extension FailureCode {
    /// An offer that the merchant does not have apps ask for.
    static let offerNotListed = FailureCode(
        "offer_not_listed",
        .forbidden,
        "Apps may not ask for this offer by themselves: the merchant's table does not list it."
    )
    /// There is no key that offers are signed with.
    static let offersOff = FailureCode(
        "offers_off",
        .conflict,
        "Offers are not signed here: app_store.private_key is not set."
    )
}
