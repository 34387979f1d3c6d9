import AmazonPaySimulator
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("A file with merchants")
struct MerchantFileTests {
    private static let key: JSONValue = [
        "publicKeyId": "SANDBOX-CFTESTKEY0000000000000003", "pem": .string(TestKeys.otherPublic),
    ]

    private static let merchant: JSONValue = [
        "merchantId": "A3EXAMPLE00003", "storeIds": ["amzn1.application-oa2-client.3"], "publicKeys": [key],
    ]

    private static func read(_ merchant: JSONValue) throws -> [Merchant] {
        let file: JSONValue = ["merchants": [merchant]]
        return try Merchant.read(file.bytes)
    }

    @Test func `names accounts with their keys`() throws {
        var whole = Self.merchant.members
        whole.append(JSONMember("allowedDomains", ["other.example.test"]))
        whole.append(JSONMember("ledgerCurrency", "USD"))
        whole.append(JSONMember("status", "suspended"))
        whole.append(JSONMember("ipnUrl", "https://other.example.test/ipn"))
        whole.append(JSONMember("topicArn", "arn:aws:sns:us-east-1:000000000000:other"))
        let merchant = try #require(try Self.read(.object(whole)).first)
        #expect(merchant.notifications?.url == "https://other.example.test/ipn")
        #expect(merchant.notifications?.topicARN == "arn:aws:sns:us-east-1:000000000000:other")
        #expect(merchant.id == "A3EXAMPLE00003")
        #expect(merchant.storeIDs == ["amzn1.application-oa2-client.3"])
        #expect(merchant.publicKeys.map(\.id) == ["SANDBOX-CFTESTKEY0000000000000003"])
        #expect(merchant.publicKeys.first?.environment == .sandbox)
        #expect(merchant.allowedDomains == ["other.example.test"])
        #expect(merchant.ledgerCurrency == "USD")
        #expect(!merchant.isActive)
    }

    @Test func `may say nothing but the necessary`() throws {
        let merchant = try #require(try Self.read(Self.merchant).first)
        #expect(merchant.ledgerCurrency == "JPY")
        #expect(merchant.isActive)
        #expect(merchant.allowedDomains.isEmpty)
        #expect(try Merchant.read(Array(#"{"merchants":[]}"#.utf8)).isEmpty)
    }

    @Test(arguments: [
        ("", "not valid JSON"), ("[]", "not an object"), ("{}", "merchants is missing"),
        (#"{"merchants":[{}]}"#, "merchants[0].merchantId is missing"),
        (#"{"merchants":[],"more":1}"#, "more is not known"),
        (#"{"merchants":[{"merchantId":"A","storeIds":[1],"publicKeys":[]}]}"#, "storeIds is not a list of texts"),
        (#"{"merchants":[{"merchantId":"A","publicKeys":[],"status":"gone"}]}"#, "status is not active or suspended"),
        (#"{"merchants":[{"merchantId":"A","publicKeys":[],"ipnUrl":"https://a.test/"}]}"#, "topicArn is missing"),
        (#"{"merchants":[{"merchantId":"A","publicKeys":[{"publicKeyId":"x"}]}]}"#, "publicKeys[0].pem is missing"),
        (
            #"{"merchants":[{"merchantId":"A","publicKeys":[{"publicKeyId":"x","pem":"","environment":"test"}]}]}"#,
            "environment is not sandbox or live"
        ),
    ])
    func `is refused with the place of the mistake`(file: String, problem: String) {
        do {
            _ = try Merchant.read(Array(file.utf8))
            Issue.record("it was read")
        } catch {
            #expect(error.description.contains(problem), "\(error)")
        }
    }

    @Test func `gives the simulator merchants of their own`() throws {
        let more = try Self.read(Self.merchant)
        var bench = Bench { $0.merchants += more }
        let paid = bench.paid()
        let stranger = [
            (
                name: "authorization",
                value: "X PublicKeyId=SANDBOX-CFTESTKEY0000000000000003, SignedHeaders=a, Signature=b"
            )
        ]
        #expect(bench.call("GET", "/v2/charges/" + paid.charge, fields: stranger).status == 404)
        let ids = bench.control("GET", "state").json["merchants"]?.elements.map { $0["merchantId"]?.text }
        #expect(ids == ["A1EXAMPLE00001", "A2EXAMPLE00002", "A3EXAMPLE00003"])
    }
}
