import AppStoreTransactions
import Cryptography
import JOSE
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("Device verification")
struct DeviceVerificationTests {
    static let cases = AppStoreVectors.cases("device-verification.json")

    @Test func `comes in 12 cases`() { #expect(DeviceVerificationTests.cases.count == 12) }

    @Test(arguments: cases)
    func `matches the device for which a text was made`(item: VectorCase) throws {
        let matches = DeviceVerification.matches(
            try item.text("deviceVerification"),
            nonce: try #require(UUIDBytes(item.text("nonce"))),
            device: try #require(UUIDBytes(item.text("deviceVerificationId")))
        )
        #expect(matches == (try item.text("verdict") == "match"))
    }

    @Test func `of a text is asked of the text`() throws {
        let verifier = try AppStoreVectors.verifier()
        let device = try #require(UUIDBytes("3f0e7b0e-54a6-4b5e-9a59-3d4d2c0f7a11"))
        let other = UUIDBytes(high: 0, low: 7)
        let transaction = try verifier.transaction(AppStoreVectors.text("tx-device-fields"), at: AppStoreVectors.now)
        #expect(transaction.matches(device: device) == true && transaction.matches(device: other) == false)
        let app = try verifier.appTransaction(AppStoreVectors.text("app-transaction"), at: AppStoreVectors.now)
        #expect(app.matches(device: device) == true && app.matches(device: other) == false)
        let plain = try verifier.transaction(AppStoreVectors.text("tx-consumable-full"), at: AppStoreVectors.now)
        #expect(plain.matches(device: device) == nil)
    }

    @Test func `that is not Base64 matches nothing`() {
        for text in ["", "====", "not base64", "AAAA"] {
            #expect(
                !DeviceVerification.matches(text, nonce: UUIDBytes(high: 1, low: 1), device: UUIDBytes(high: 2, low: 2))
            )
        }
    }
}

@Suite("A legacy receipt")
struct LegacyReceiptTests {
    static let cases = AppStoreVectors.cases("receipts.json")

    private func id(_ item: VectorCase) throws -> String? {
        let receipt = try item.text("receipt")
        return try item.text("kind") == "app"
            ? LegacyReceipt.transactionID(inAppReceipt: receipt)
            : LegacyReceipt.transactionID(inTransactionReceipt: receipt)
    }

    @Test func `comes in 15 cases`() { #expect(LegacyReceiptTests.cases.count == 15) }

    @Test(arguments: cases)
    func `gives a transaction id`(item: VectorCase) throws {
        if item.json["oracle"]?["error"] != nil {
            #expect(throws: ReceiptError.self) { try id(item) }
        } else {
            #expect(try id(item) == item.json["oracle"]?["result"]?.text)
        }
    }

    private func receipt(_ id: String) throws -> [UInt8] {
        let item = try #require(LegacyReceiptTests.cases.first { $0.id == id })
        return try #require(Base64.decode(item.text("receipt")))
    }

    @Test func `that is cut anywhere is refused`() throws {
        let bytes = try receipt("nested-octet-string")
        for count in 0..<bytes.count {
            let text = Base64.encode(Array(bytes.prefix(count)))
            #expect(throws: ReceiptError.self) { try LegacyReceipt.transactionID(inAppReceipt: text) }
        }
    }

    @Test func `with any bit changed is refused, or gives some id`() throws {
        let bytes = try receipt("many-in-apps")
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            if let id = try? LegacyReceipt.transactionID(inAppReceipt: Base64.encode(changed)) {
                #expect(!id.isEmpty && id.utf8.count <= 128)
            }
        }
    }

    @Test func `may be broken into lines`() throws {
        let text = Base64.encode(try receipt("one-in-app"))
        let lines = text.prefix(64) + "\r\n" + text.dropFirst(64) + "\n"
        #expect(try LegacyReceipt.transactionID(inAppReceipt: String(lines)) == "2000000510010302")
    }

    @Test func `that nests without end, or is too large, is refused`() {
        let deep = [UInt8](repeating: 0x24, count: 1) + [UInt8](repeating: 0x80, count: 1)
        let nested = Array([[UInt8]](repeating: deep, count: 10_000).joined())
        for bytes in [nested, [UInt8](repeating: 0x30, count: 64), [0x24, 0x80]] {
            #expect(throws: ReceiptError.self) { try LegacyReceipt.transactionID(inAppReceipt: Base64.encode(bytes)) }
        }
        let large = String(repeating: "A", count: LegacyReceipt.greatestSize + 4)
        #expect(throws: ReceiptError.self) { try LegacyReceipt.transactionID(inAppReceipt: large) }
    }

    @Test(arguments: [
        (#""transaction-id" = "1";"#, "1"), (#""transaction-id"="12" ; "transaction-id" = "3";"#, "3"),
        (#""transaction-id" = "";"#, nil), (#""transaction-id" = "1"#, nil), (#"transaction-id = 1;"#, nil), ("", nil),
    ])
    func `in a property list is found by its key`(list: String, id: String?) throws {
        let outer = #"{ "purchase-info" = ""# + Base64.encode(Array(list.utf8)) + #""; }"#
        #expect(try LegacyReceipt.transactionID(inTransactionReceipt: Base64.encode(Array(outer.utf8))) == id)
    }
}

@Suite("An offer")
struct OfferTests {
    static let old = AppStoreVectors.cases("offer-signatures.json", "v1")
    static let new = AppStoreVectors.cases("offer-signatures.json", "jws")
    private let meta: JSONValue
    private let key: ES256PrivateKey
    private let publicPEM: [UInt8]

    init() throws {
        meta = try #require(AppStoreVectors.json("offer-signatures.json")["meta"])
        key = try ES256PrivateKey(pem: Secret(Array(#require(meta["privateKeyPem"]?.text).utf8)))
        publicPEM = Array(try #require(meta["publicKeyPem"]?.text).utf8)
    }

    private func text(_ name: String) throws -> String { try #require(meta[name]?.text) }

    @Test func `comes in 5 and 4 cases`() { #expect(OfferTests.old.count == 5 && OfferTests.new.count == 4) }

    private func message(_ item: VectorCase) throws -> [UInt8] {
        OfferSigner.message([
            try text("bundleId"), try text("keyId"), try item.text("productId"), try item.text("offerId"),
            try item.text("appAccountToken").lowercased(), try item.text("nonce").lowercased(),
            String(try #require(item.json["timestampMs"]?.integer)),
        ])
    }

    @Test(arguments: old)
    func `is verified as the original StoreKit does it`(item: VectorCase) throws {
        let message = try message(item)
        #expect(Hex.encode(message) == (try item.text("messageUtf8Hex")))
        let isGood = OfferSigner.isGood(
            try item.text("signatureDerBase64"),
            of: message,
            by: try ES256PublicKey(pem: publicPEM)
        )
        #expect(isGood == (try item.text("verdict") == "valid"))
    }

    @Test(arguments: old)
    func `is signed over the same text`(item: VectorCase) throws {
        let signer = OfferSigner(key: key, keyID: try text("keyId"), bundleID: try text("bundleId"))
        let milliseconds = try #require(item.json["timestampMs"]?.integer)
        let offer = try signer.sign(
            offer: item.text("offerId"),
            of: item.text("productId"),
            for: UUIDBytes(item.text("appAccountToken")),
            nonce: #require(UUIDBytes(item.text("nonce"))),
            at: WallTime(microseconds: Int64(milliseconds) * 1_000 + 999)
        )
        #expect(offer.timestamp == Int64(milliseconds))
        #expect(offer.keyID == (try text("keyId")))
        let publicKey = try ES256PublicKey(pem: publicPEM)
        #expect(OfferSigner.isGood(offer.signature, of: try message(item), by: publicKey))
        #expect(!OfferSigner.isGood(offer.signature, of: Array("other".utf8), by: publicKey))
    }

    @Test func `with the separator in a part is not signed`() throws {
        let signer = OfferSigner(key: key, keyID: "K", bundleID: "b")
        let nonce = UUIDBytes(high: 1, low: 2)
        for part in ["", "a\u{2063}b", "a\nb", String(repeating: "a", count: 256)] {
            #expect(throws: OfferError.badPart("product id")) {
                try signer.sign(offer: "o", of: part, for: nil, nonce: nonce, at: AppStoreVectors.now)
            }
            #expect(throws: OfferError.badPart("offer id")) {
                try signer.sign(offer: part, of: "p", for: nil, nonce: nonce, at: AppStoreVectors.now)
            }
        }
    }

    @Test(arguments: new)
    func `as a text has the claims of the samples`(item: VectorCase) throws {
        let sample = try CompactJWS(item.text("sample"))
        let publicKey = try JWSVerificationKey(pem: publicPEM)
        try sample.verify(with: publicKey, allowing: [.es256])
        let claims = try #require(item.json["claims"])
        let productID = try #require(claims["productId"]?.text)
        let transactionID = claims["transactionId"]?.text
        let offer: SignedOffer =
            if let isAllowed = claims["allowIntroductoryOffer"]?.flag {
                .introductory(productID: productID, isAllowed: isAllowed, transactionID: try #require(transactionID))
            } else {
                .promotional(
                    productID: productID,
                    offerID: try #require(claims["offerIdentifier"]?.text),
                    transactionID: transactionID
                )
            }
        let signer = OfferTokenSigner(
            signer: JWTSigner(key: key, keyID: try text("keyId")),
            issuerID: try text("issuerId"),
            bundleID: try text("bundleId")
        )
        let nonce = try #require(claims["nonce"]?.text.flatMap { UUIDBytes($0) })
        let second = try #require(claims["iat"]?.integer)
        let ours = try CompactJWS(signer.sign(offer, nonce: nonce, at: WallTime(seconds: Int64(second))))
        try ours.verify(with: publicKey, allowing: [.es256])
        #expect(
            ours.payload.sortedBytes == claims.sortedBytes && ours.payload.sortedBytes == sample.payload.sortedBytes
        )
        #expect(JSONValue.object(ours.header.members).sortedBytes == item.json["header"]?.sortedBytes)
    }

    @Test func `of Advanced Commerce carries its request`() throws {
        let signer = OfferTokenSigner(signer: JWTSigner(key: key, keyID: "K"), issuerID: "i", bundleID: "b")
        let offer = SignedOffer.advancedCommerce(request: Array("{}".utf8))
        let text = try CompactJWS(signer.sign(offer, nonce: UUIDBytes(high: 1, low: 2), at: AppStoreVectors.now))
        #expect(text.payload["request"] == "e30=" && text.payload["aud"] == "advanced-commerce-api")
    }
}

@Suite("A bearer token")
struct BearerTokenTests {
    static let cases = AppStoreVectors.cases("api-jwt.json")
    private let meta: JSONValue
    private let keys: [OctetText: JWSVerificationKey]

    init() throws {
        let meta = try #require(AppStoreVectors.json("api-jwt.json")["meta"])
        let pem = Array(try #require(meta["publicKeyPem"]?.text).utf8)
        keys = [try #require(meta["keyId"]?.text).octets: try JWSVerificationKey(pem: pem)]
        self.meta = meta
    }

    private func text(_ name: String) throws -> String { try #require(meta[name]?.text) }

    @Test func `comes in 32 cases`() { #expect(BearerTokenTests.cases.count == 32) }

    @Test(arguments: cases)
    func `opens a service or not`(item: VectorCase) throws {
        let rule: BearerTokenRule =
            try item.text("api") == "devicecheck"
            ? .team(teamID: text("teamId"))
            : .appStoreServer(issuerID: text("issuerId"), bundleID: text("bundleId"))
        let now = WallTime(seconds: Int64(try #require(item.json["now"]?.integer)))
        let token = Array(try item.text("token").utf8)
        if item.json["expect"] == 200 {
            #expect(throws: Never.self) { try rule.check(token, keys: keys, at: now) }
        } else {
            #expect(throws: BearerTokenRefusal.self) { try rule.check(token, keys: keys, at: now) }
        }
    }

    @Test func `of ours opens the App Store's service until it ends, and no other`() throws {
        let key = try ES256PrivateKey(pem: Secret(Array(text("privateKeyPem").utf8)))
        let now = AppStoreVectors.now
        for life in [1, 61, 600, 3_600, 86_400] {
            let maker = ServerAPITokenMaker(
                signer: JWTSigner(key: key, keyID: try text("keyId")),
                issuerID: try text("issuerId"),
                bundleID: try text("bundleId"),
                life: .seconds(life)
            )
            let token = try maker.token(at: now)
            let bytes = Array(token.text.reveal().utf8)
            let rule = BearerTokenRule.appStoreServer(issuerID: try text("issuerId"), bundleID: try text("bundleId"))
            #expect(token.expires <= now + .seconds(3_600) && token.expires >= now + .seconds(61))
            #expect(throws: Never.self) { try rule.check(bytes, keys: keys, at: now) }
            #expect(throws: BearerTokenRefusal.expired) { try rule.check(bytes, keys: keys, at: token.expires) }
            #expect(throws: BearerTokenRefusal.issued) { try rule.check(bytes, keys: keys, at: now + .seconds(-61)) }
            #expect(throws: BearerTokenRefusal.issuer) {
                try BearerTokenRule.team(teamID: "SPTEAM1234").check(bytes, keys: keys, at: now)
            }
            #expect(throws: BearerTokenRefusal.key) { try rule.check(bytes, keys: [:], at: now) }
            #expect(token.isFresh(at: now) && !token.isFresh(at: token.expires + .seconds(-60)))
            #expect(!"\(token)".contains("ey"))
        }
    }

    @Test(arguments: [
        #"{"exp":9223372036854775807,"iat":-9223372036854775808}"#, #"{"exp":1e3}"#, #"{"iat":9223372036854775807}"#,
    ])
    func `with extreme times is refused`(times: String) throws {
        let key = try ES256PrivateKey(pem: Secret(Array(text("privateKeyPem").utf8)))
        let common: [(String, JSONValue)] = [
            ("iss", .string(try text("issuerId"))), ("aud", "appstoreconnect-v1"),
            ("bid", .string(try text("bundleId"))),
        ]
        let given = try JSONParser.parse(Array(times.utf8)).members
        let claims = JSONValue.object(common.map { JSONMember($0.0, $0.1) } + given)
        let token = try JWTSigner(key: key, keyID: text("keyId")).sign(claims: claims)
        let rule = BearerTokenRule.appStoreServer(issuerID: try text("issuerId"), bundleID: try text("bundleId"))
        #expect(throws: BearerTokenRefusal.self) {
            try rule.check(Array(token.utf8), keys: keys, at: AppStoreVectors.now)
        }
        #expect(throws: BearerTokenRefusal.self) {
            try BearerTokenRule.team(teamID: text("issuerId")).check(
                Array(token.utf8),
                keys: keys,
                at: AppStoreVectors.now
            )
        }
    }
}
