import AppStoreTransactions
import Cryptography
import JOSE
import Primitives
import StrictJSON
import Testing

@Suite("A signed text of the vectors")
struct SignedDataTests {
    static let cases = AppStoreVectors.cases("signed-data.json")

    private func payload(_ item: VectorCase) throws -> JSONValue {
        let settings = try #require(item.json["verifier"])
        let word = try #require(settings["environment"]?.text)
        let verifier = try SignedTextVerifier(
            environment: #require(AppStoreEnvironment(rawValue: word)),
            bundleID: #require(settings["bundleId"]?.text),
            appAppleID: settings["appAppleId"]?.integer.map { Int64($0) },
            paths: AppStoreVectors.paths(roots: settings["roots"]?.elements.compactMap(\.text) ?? [])
        )
        let text = Array(try item.text("jws").utf8)
        switch try item.text("kind") {
        case "transaction": return try verifier.transaction(text, at: AppStoreVectors.now).payload
        case "renewalInfo": return try verifier.renewal(text, at: AppStoreVectors.now).payload
        case "appTransaction": return try verifier.appTransaction(text, at: AppStoreVectors.now).payload
        default: return try verifier.notification(text, at: AppStoreVectors.now).payload
        }
    }

    @Test func `comes in 127 cases`() { #expect(SignedDataTests.cases.count == 127) }

    @Test(arguments: cases)
    func `is judged as it must be`(item: VectorCase) throws {
        let isGood = try #require(item.json["oracle"]?["verdict"]?.text) == "accept"
        let isStrict = try item.text("grade") == "must"
        do {
            let payload = try payload(item)
            #expect(isGood || !isStrict)
            if let claims = item.json["claims"] { #expect(payload.sortedBytes == claims.sortedBytes) }
        } catch let refusal as SignedTextRefusal {
            #expect(!isGood || !isStrict, "refused: \(refusal)")
            if let kind = SignedDataTests.code(of: item) { #expect(refusal.code == kind) }
        }
    }

    /// What a refusal has to be told apart as, by the first words of the case's name.
    private static func code(of item: VectorCase) -> String? {
        let rules = [
            ("chain-", "certificate"), ("leaf-p384", "certificate"), ("leaf-rsa-key-rs256", "signature"),
            ("leaf-", "certificate"), ("intermediate-", "certificate"), ("oids-", "certificate"),
            ("root-expired", "certificate"), ("no-trusted", "certificate"), ("alg-missing", "malformed"),
            ("alg-", "signature"), ("signature-", "signature"), ("payload-", "signature"), ("header-", "signature"),
            ("text-payload-j", "malformed"), ("text-", "malformed"), ("bundle-", "wrong_app"),
            ("environment-", "wrong_environment"), ("renewal-as", "wrong_kind"), ("transaction-as", "wrong_kind"),
            ("notification-as", "wrong_kind"), ("production-verifier", "misconfigured"),
            ("xcode-wrong", "wrong_app"), ("sandbox-claim", "wrong_environment"),
            ("xcode-data", "certificate"), ("local-testing-data", "certificate"),
            ("notification-wrong-env", "wrong_environment"), ("notification-", "wrong_app"),
            ("app-transaction-wrong-app", "wrong_app"), ("app-transaction-wrong-env", "wrong_environment"),
        ]
        // An RSA key, or one on another curve, signs nothing with this algorithm.
        if item.id == "leaf-p384-key-labelled-es256" || item.id == "leaf-rsa-key-labelled-es256" { return nil }
        return rules.first { item.id.hasPrefix($0.0) }?.1
    }
}

@Suite("A signed text")
struct SignedTextTests {
    private let now = AppStoreVectors.now

    @Test func `is read with all that the ledger needs`() throws {
        let verifier = try AppStoreVectors.verifier()
        let transaction = try verifier.transaction(AppStoreVectors.text("tx-consumable-full"), at: now)
        #expect(transaction.id == "2000000510010001" && transaction.originalID == transaction.id)
        #expect(transaction.productID == "consumable.ticket.1")
        #expect(transaction.type == .consumable && transaction.ownership == .purchased)
        #expect(transaction.quantity == 3 && transaction.price == 160_000 && transaction.currency == "JPY")
        #expect(transaction.environment == .sandbox && transaction.bundleID == AppStoreVectors.bundleID)
        #expect(transaction.signed == WallTime(seconds: 1_749_978_000))
        #expect(transaction.purchased == WallTime(microseconds: 1_749_977_998_500_000))
        #expect(transaction.appAccountToken == UUIDBytes("5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01"))
        #expect(transaction.revoked == nil && transaction.unitsTakenBack(ofGranted: 10) == 0)
    }

    @Test func `says what was refunded`() throws {
        let verifier = try AppStoreVectors.verifier()
        let whole = try verifier.transaction(AppStoreVectors.text("tx-refunded"), at: now)
        #expect(whole.revoked != nil && whole.revocationType == .refundFull && whole.revocationReason == 1)
        #expect(whole.unitsTakenBack(ofGranted: 7) == 7)
        let part = try verifier.transaction(AppStoreVectors.text("tx-refund-prorated"), at: now)
        #expect(part.revocationType == .refundProrated && part.revocationPercentage == 40_000)
        #expect(part.unitsTakenBack(ofGranted: 7) == 2 && part.unitsTakenBack(ofGranted: 0) == 0)
        #expect(part.unitsTakenBack(ofGranted: .max) == 3_689_348_814_741_910_322)
        #expect(try verifier.transaction(AppStoreVectors.text("tx-family-revoked"), at: now).ownership == .familyShared)
    }

    @Test func `keeps words that are not known yet`() throws {
        let text = try AppStoreVectors.text("tx-unknown-enum-values")
        let transaction = try AppStoreVectors.verifier().transaction(text, at: now)
        #expect(transaction.type == .other("Hologram") && transaction.type.word == "Hologram")
        #expect(transaction.ownership == .other("LEASED"))
        #expect(transaction.transactionReason == "GIFT" && transaction.offer?.type == 42)
        let notification = try AppStoreVectors.verifier().notification(
            AppStoreVectors.text("notification-unknown-type"),
            at: now
        )
        #expect(notification.type == .other("SOMETHING_NEW") && notification.subtype == "ODD_SUBTYPE")
    }

    @Test func `without a date is older than any other`() throws {
        let transaction = try AppStoreVectors.verifier().transaction(AppStoreVectors.text("no-signed-date"), at: now)
        #expect(transaction.signed == WallTime(seconds: 0))
        // Judged at the present, it ends with the certificates, on the first of January 2050.
        let late = WallTime(seconds: 2_600_000_000)
        #expect(throws: SignedTextRefusal.certificate(.validity)) {
            try AppStoreVectors.verifier().transaction(AppStoreVectors.text("no-signed-date"), at: late)
        }
        #expect(throws: Never.self) {
            try AppStoreVectors.verifier().transaction(AppStoreVectors.text("tx-consumable-full"), at: late)
        }
    }

    @Test func `of Xcode has fractions of milliseconds, and counts only where Xcode is the environment`() throws {
        let text = try AppStoreVectors.text("xcode-environment")
        let transaction = try AppStoreVectors.verifier(.xcode).transaction(text, at: now)
        #expect(transaction.signed == WallTime(microseconds: 1_699_175_167_739_015))
        #expect(transaction.id == "28" && transaction.deviceVerificationNonce != nil)
        #expect(SignedTextVerifier.claimedEnvironment(text) == .xcode)
        for environment in [AppStoreEnvironment.production, .sandbox] {
            #expect(throws: SignedTextRefusal.certificate(.chainLength)) {
                try AppStoreVectors.verifier(environment).transaction(text, at: now)
            }
        }
        #expect(throws: SignedTextRefusal.wrongEnvironment(.environment)) {
            try AppStoreVectors.verifier(.localTesting).transaction(text, at: now)
        }
    }

    @Test func `says which environment it claims, whatever its kind`() throws {
        let claims: [(String, AppStoreEnvironment?)] = [
            ("tx-production", .production), ("renewal-info", .sandbox), ("app-transaction-production", .production),
            ("notification-production", .production), ("notification-external-token-sandbox", .sandbox),
            ("notification-external-token-production", .production), ("notification-rescind-consent", .sandbox),
            ("notification-summary", .sandbox), ("environment-unknown", nil), ("text-two-parts", nil),
            ("notification-without-any-object", nil), ("signature-empty", .sandbox),
        ]
        for (id, environment) in claims {
            #expect(try SignedTextVerifier.claimedEnvironment(AppStoreVectors.text(id)) == environment, "\(id)")
        }
    }

    @Test func `of one kind is none of another, whatever members they share`() throws {
        let verifier = try AppStoreVectors.verifier()
        let transaction = try AppStoreVectors.text("tx-subscription")
        let renewal = try AppStoreVectors.text("renewal-info")
        let app = try AppStoreVectors.text("app-transaction")
        let notification = try AppStoreVectors.text("notification-subscribed")
        for text in [renewal, app, notification] {
            #expect(throws: SignedTextRefusal.wrongKind(.missingMember)) { try verifier.transaction(text, at: now) }
        }
        #expect(throws: SignedTextRefusal.wrongKind(.foreignMember)) { try verifier.renewal(transaction, at: now) }
        for text in [app, notification] {
            #expect(throws: SignedTextRefusal.wrongKind(.missingMember)) { try verifier.renewal(text, at: now) }
        }
        for text in [transaction, renewal, notification] {
            #expect(throws: SignedTextRefusal.wrongKind(.missingMember)) { try verifier.appTransaction(text, at: now) }
        }
        for text in [transaction, renewal, app] {
            #expect(throws: SignedTextRefusal.wrongKind(.missingMember)) { try verifier.notification(text, at: now) }
        }
    }

    @Test func `of a notification says nothing about those inside`() throws {
        let verifier = try AppStoreVectors.verifier()
        let notification = try verifier.notification(AppStoreVectors.text("notification-refund"), at: now)
        #expect(notification.type == .refund && notification.type.ledgerEffect == .takeBack)
        #expect(notification.id == "bf1e672f-9ae1-57ee-a094-3d186d75c654" && notification.version == "2.0")
        let inside = try #require(notification.signedTransaction)
        #expect(try verifier.transaction(Array(inside.utf8), at: now).revoked != nil)
        #expect(notification.signedAppTransaction == nil && notification.signedRenewal == nil)
        let consent = try verifier.notification(AppStoreVectors.text("notification-rescind-consent"), at: now)
        let app = try #require(consent.signedAppTransaction)
        #expect(try verifier.appTransaction(Array(app.utf8), at: now).originalPlatform == "iOS")
        let subscribed = try verifier.notification(AppStoreVectors.text("notification-subscribed"), at: now)
        let renewal = try #require(subscribed.signedRenewal)
        #expect(try verifier.renewal(Array(renewal.utf8), at: now).isRenewing == true)
        let summary = try verifier.notification(AppStoreVectors.text("notification-summary"), at: now)
        guard case .extensionSummary(let counts) = summary.subject else {
            Issue.record("no summary")
            return
        }
        #expect(counts.succeeded == 5 && counts.failed == 2)
    }

    @Test func `never names anything of itself in a refusal`() throws {
        for item in SignedDataTests.cases {
            let text = Array(try item.text("jws").utf8)
            for environment in [AppStoreEnvironment.sandbox, .xcode] {
                do {
                    _ = try AppStoreVectors.verifier(environment).notification(text, at: now)
                } catch let refusal as SignedTextRefusal {
                    let words = SignedTextRefusal.Reason.allCases.map { "\(refusal.code): \($0.rawValue)" }
                    #expect(words.contains(refusal.description))
                }
            }
        }
    }

    @Test func `of production needs the number of the app`() throws {
        #expect(throws: SignedTextRefusal.misconfigured(.noAppAppleID)) {
            try SignedTextVerifier(
                environment: .production,
                bundleID: "a",
                appAppleID: nil,
                paths: AppStoreVectors.paths()
            )
        }
        #expect(throws: SignedTextRefusal.misconfigured(.bundleID)) {
            try SignedTextVerifier(
                environment: .sandbox,
                bundleID: "",
                appAppleID: nil,
                paths: AppStoreVectors.paths()
            )
        }
    }
}

/// Texts of an environment that nobody signs, with any payload.
@Suite("A payload")
struct PayloadTests {
    private static let good: [(String, JSONValue)] = [
        ("transactionId", "28"), ("productId", "consumable.ticket.1"), ("type", "Consumable"),
        ("bundleId", .string(AppStoreVectors.bundleID)), ("environment", "Xcode"),
    ]

    private func read(_ changes: [(String, JSONValue)]) throws -> Transaction {
        var members = PayloadTests.good.filter { item in !changes.contains { $0.0 == item.0 } } + changes
        members.removeAll { if case .null = $0.1 { true } else { false } }
        let payload = JSONValue.object(members.map { JSONMember($0.0, $0.1) })
        let text = [#"{"alg":"ES256"}"#.utf8.map(\.self), payload.bytes, []].map(Base64URL.encode)
        return try AppStoreVectors.verifier(.xcode).transaction(
            Array(text.joined(separator: ".").utf8),
            at: AppStoreVectors.now
        )
    }

    @Test func `with the least members is one purchase of a piece`() throws {
        let transaction = try read([])
        #expect(transaction.quantity == 1 && transaction.originalID == "28" && transaction.ownership == .other(""))
    }

    @Test(arguments: [
        ("quantity", JSONValue.number("0")), ("quantity", .number("-1")), ("quantity", .number("1001")),
        ("quantity", .number("1.5")), ("quantity", "3"), ("signedDate", "now"), ("signedDate", .number("-1")),
        ("signedDate", .number("1e300")), ("purchaseDate", .number("253402300800000")), ("appAccountToken", "nobody"),
        ("revocationPercentage", .number("100001")), ("revocationPercentage", .number("-1")),
        ("transactionId", "a b"), ("transactionId", .string(String(repeating: "1", count: 129))),
        ("productId", "a\u{0}"), ("productId", .string(String(repeating: "a", count: 256))), ("price", .number("1e9")),
        ("price", .number("9223372036854775808")), ("isUpgraded", "true"), ("commitmentInfo", "x"),
        ("originalTransactionId", .number("1")), ("type", .number("1")),
    ])
    func `with a member that is not what it must be is malformed`(name: String, value: JSONValue) {
        do {
            _ = try read([(name, value)])
            Issue.record("read")
        } catch {
            #expect((error as? SignedTextRefusal)?.code == "malformed")
        }
    }

    @Test(arguments: ["transactionId", "productId", "type"])
    func `without what makes its kind is of another kind`(name: String) {
        #expect(throws: SignedTextRefusal.wrongKind(.missingMember)) { try read([(name, .null)]) }
        #expect(throws: SignedTextRefusal.wrongKind(.missingMember)) { try read([(name, "")]) }
    }

    @Test func `of another app or environment is told apart`() {
        #expect(throws: SignedTextRefusal.wrongApp(.bundleID)) { try read([("bundleId", "jp.example.other")]) }
        #expect(throws: SignedTextRefusal.wrongApp(.bundleID)) { try read([("bundleId", .null)]) }
        #expect(throws: SignedTextRefusal.wrongEnvironment(.environment)) { try read([("environment", "Sandbox")]) }
        #expect(throws: SignedTextRefusal.wrongEnvironment(.environment)) { try read([("environment", .null)]) }
    }

    @Test(arguments: [
        ("1749978000000", 1_749_978_000_000_000), ("1749978000000.4683", 1_749_978_000_000_468),
        ("1.749978E12", 1_749_978_000_000_000), ("0", 0), ("253402300799999", 253_402_300_799_999_000),
    ])
    func `has times to the microsecond`(digits: String, microseconds: Int64) throws {
        #expect(try read([("signedDate", .number(digits))]).signed.microseconds == microseconds)
    }

    @Test func `has members that nobody knows, and instalments`() throws {
        let commitment: JSONValue = [
            "billingPeriodNumber": 2, "totalBillingPeriods": 12, "commitmentPrice": 1_200_000,
            "commitmentExpiresDate": .number("1749978000000"),
        ]
        let transaction = try read([
            ("new", ["a": [1, 2]]), ("commitmentInfo", commitment), ("billingPlanType", "MONTHLY"),
        ])
        #expect(transaction.commitment?.periods == 12 && transaction.commitment?.price == 1_200_000)
        #expect(transaction.payload["new"] != nil && transaction.billingPlanType == "MONTHLY")
    }
}
