import AppStoreTransactions
import Cryptography
import Foundation
import JOSE
import Primitives
import StrictJSON

/// Digests that tie a signed text to a device.
enum DeviceVerificationVectors: VectorKind {
    static let fileName = "device-verification.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try (document["cases"]?.elements ?? []).map { item in
            guard let id = item["id"]?.text, let verification = item["deviceVerification"]?.text,
                let expected = item["verdict"]?.text
            else { throw VectorError(description: "a case without digest and verdict") }
            let nonce = item["nonce"]?.text.flatMap { UUIDBytes($0) }
            let device = item["deviceVerificationId"]?.text.flatMap { UUIDBytes($0) }
            guard let nonce, let device else { return VectorOutcome(id, found: "no-match", expected: expected) }
            let matches = DeviceVerification.matches(verification, nonce: nonce, device: device)
            return VectorOutcome(id, found: matches ? "match" : "no-match", expected: expected)
        }
    }
}

/// Legacy receipts and the transaction id in each.
enum ReceiptVectors: VectorKind {
    static let fileName = "receipts.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        try (document["cases"]?.elements ?? []).map { item in
            guard let id = item["id"]?.text, let receipt = item["receipt"]?.text, let oracle = item["oracle"] else {
                throw VectorError(description: "a case without receipt and result")
            }
            let expected = oracle["error"] == nil ? oracle["result"]?.text ?? "none" : "malformed"
            do throws(ReceiptError) {
                let found =
                    item["kind"] == "app"
                    ? try LegacyReceipt.transactionID(inAppReceipt: receipt)
                    : try LegacyReceipt.transactionID(inTransactionReceipt: receipt)
                return VectorOutcome(id, found: found ?? "none", expected: expected)
            } catch {
                return VectorOutcome(
                    id: id,
                    isAsExpected: expected == "malformed",
                    verdict: "malformed, \(error.sentence)",
                    expected: expected
                )
            }
        }
    }
}

/// Signed offers: those of the file, and ours for the same customers.
enum OfferVectors: VectorKind {
    static let fileName = "offer-signatures.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        let keys = try OfferKeys(document["meta"])
        return try (document["v1"]?.elements ?? []).map { try judge(signature: $0, keys) }
            + (document["jws"]?.elements ?? []).map { try judge(text: $0, keys) }
    }

    private static func judge(signature item: JSONValue, _ keys: OfferKeys) throws -> VectorOutcome {
        func text(_ name: String) throws -> String {
            guard let text = item[name]?.text else { throw VectorError(description: "an offer without \(name)") }
            return text
        }
        guard let nonce = try UUIDBytes(text("nonce")), let timestamp = item["timestampMs"]?.integer else {
            throw VectorError(description: "an offer without nonce and timestamp")
        }
        let account = try UUIDBytes(text("appAccountToken"))
        let message = OfferSigner.message([
            keys.bundleID, keys.keyID, try text("productId"), try text("offerId"), account?.description ?? "",
            nonce.description, String(timestamp),
        ])
        let isGood = OfferSigner.isGood(try text("signatureDerBase64"), of: message, by: keys.publicKey)
        let signer = OfferSigner(key: keys.key, keyID: keys.keyID, bundleID: keys.bundleID)
        let ours = try signer.sign(
            offer: text("offerId"),
            of: text("productId"),
            for: account,
            nonce: nonce,
            at: WallTime(microseconds: Int64(timestamp) * 1_000)
        )
        let isSame =
            try Hex.encode(message) == text("messageUtf8Hex")
            && OfferSigner.isGood(ours.signature, of: message, by: keys.publicKey)
        return VectorOutcome(
            try text("id"),
            found: (isGood ? "valid" : "invalid") + (isSame ? "" : ", over another text than ours"),
            expected: try text("verdict")
        )
    }

    private static func judge(text item: JSONValue, _ keys: OfferKeys) throws -> VectorOutcome {
        guard let id = item["id"]?.text, let sample = item["sample"]?.text, let claims = item["claims"] else {
            throw VectorError(description: "an offer without text and claims")
        }
        let key = try JWSVerificationKey(of: keys.key)
        let signed = try CompactJWS(sample)
        try signed.verify(with: key, allowing: [.es256])
        let ours = try CompactJWS(keys.sign(claims))
        try ours.verify(with: key, allowing: [.es256])
        let names = Set(claims.members.map(\.name.octets))
        let isSame = [signed.payload, ours.payload].allSatisfy { payload in
            Set(payload.members.map(\.name.octets)) == names
                && claims.members.allSatisfy { payload[$0.name] == $0.value }
        }
        return VectorOutcome(id, found: isSame ? "valid, same claims" : "other claims", expected: "valid, same claims")
    }
}

/// The key and the names of the file of offers.
private struct OfferKeys {
    let key: ES256PrivateKey
    let publicKey: ES256PublicKey
    let keyID: String
    let issuerID: String
    let bundleID: String

    init(_ meta: JSONValue?) throws {
        guard let pem = meta?["privateKeyPem"]?.text, let publicPEM = meta?["publicKeyPem"]?.text,
            let keyID = meta?["keyId"]?.text, let issuerID = meta?["issuerId"]?.text,
            let bundleID = meta?["bundleId"]?.text
        else { throw VectorError(description: "no key in meta") }
        key = try ES256PrivateKey(pem: Secret(Array(pem.utf8)))
        publicKey = try ES256PublicKey(pem: Array(publicPEM.utf8))
        (self.keyID, self.issuerID, self.bundleID) = (keyID, issuerID, bundleID)
    }

    /// Our text for the offer that claims are of.
    func sign(_ claims: JSONValue) throws -> String {
        guard let productID = claims["productId"]?.text, let nonce = claims["nonce"]?.text.flatMap({ UUIDBytes($0) }),
            let second = claims["iat"]?.integer
        else { throw VectorError(description: "claims without product, nonce and time") }
        let transactionID = claims["transactionId"]?.text
        let offer: SignedOffer =
            if let isAllowed = claims["allowIntroductoryOffer"]?.flag {
                .introductory(productID: productID, isAllowed: isAllowed, transactionID: transactionID ?? "")
            } else {
                .promotional(
                    productID: productID,
                    offerID: claims["offerIdentifier"]?.text ?? "",
                    transactionID: transactionID
                )
            }
        let signer = JWTSigner(key: key, keyID: keyID)
        return try OfferTokenSigner(signer: signer, issuerID: issuerID, bundleID: bundleID)
            .sign(offer, nonce: nonce, at: WallTime(seconds: Int64(second)))
    }
}

/// Tokens that open the App Store Server API, or DeviceCheck, or neither.
enum BearerTokenVectors: VectorKind {
    static let fileName = "api-jwt.json"

    static func judge(_ document: JSONValue, in folder: URL) throws -> [VectorOutcome] {
        let meta = document["meta"]
        guard let pem = meta?["publicKeyPem"]?.text, let keyID = meta?["keyId"]?.text,
            let issuerID = meta?["issuerId"]?.text, let bundleID = meta?["bundleId"]?.text,
            let teamID = meta?["teamId"]?.text
        else { throw VectorError(description: "no key in meta") }
        let keys = [keyID.octets: try JWSVerificationKey(pem: Array(pem.utf8))]
        return try (document["cases"]?.elements ?? []).map { item in
            guard let id = item["id"]?.text, let token = item["token"]?.text, let second = item["now"]?.integer,
                let expected = item["expect"]?.integer
            else { throw VectorError(description: "a case without token and time") }
            let rule: BearerTokenRule =
                item["api"] == "devicecheck"
                ? .team(teamID: teamID) : .appStoreServer(issuerID: issuerID, bundleID: bundleID)
            do throws(BearerTokenRefusal) {
                try rule.check(Array(token.utf8), keys: keys, at: WallTime(seconds: Int64(second)))
                return VectorOutcome(id, found: "200", expected: "\(expected)")
            } catch {
                return VectorOutcome(
                    id: id,
                    isAsExpected: expected == 401,
                    verdict: "401, \(error.rawValue)",
                    expected: "\(expected)"
                )
            }
        }
    }
}
