import AmazonPaySimulator
import Cryptography
import Primitives
import SimulatorCore
import StrictJSON
import Testing

@Suite("A notification")
struct SenderTests {
    @Test func `tells every change of a charge, a permission and a refund, never one of a session`() {
        var bench = Bench()
        bench.subscribe()
        let paid = bench.paid()
        var told = bench.deliver()
        #expect(Set(told.map { $0.message["ObjectId"]?.text }) == [paid.charge, paid.permission])
        #expect(Set(told.map { $0.message["ObjectType"]?.text }) == ["CHARGE", "CHARGE_PERMISSION"])
        _ = bench.call("POST", "/v2/charges/\(paid.charge)/capture", ["captureAmount": Bench.price(27_996)], key: "c")
        told = bench.deliver()
        #expect(told.map { $0.message["ObjectType"]?.text } == ["CHARGE", "CHARGE_PERMISSION"])
        let refund = bench.refund(paid.charge, 100).json["refundId"]?.text
        told = bench.deliver()
        #expect(told.map { $0.message["ObjectId"]?.text } == [refund])
        #expect(told.first?.message["ChargePermissionId"]?.text == paid.permission)
        bench.advance("PT5S")
        #expect(bench.deliver().map { $0.message["ObjectType"]?.text } == ["REFUND"])
        #expect(bench.deliver().isEmpty)
        _ = bench.held(card: "card-3434")
        bench.advance("PT25H")
        #expect(bench.deliver().isEmpty)
    }

    @Test func `is not sent to a merchant who has not asked for it`() {
        var bench = Bench()
        _ = bench.paid()
        bench.subscribe()
        #expect(bench.deliver().isEmpty)
        bench.control("POST", "ipn/target", ["url": ""])
        _ = bench.paid()
        #expect(bench.deliver().isEmpty)
    }

    @Test func `looks like the real sender's`() throws {
        var bench = Bench()
        bench.subscribe()
        bench.now = bench.now + .milliseconds(7)
        let paid = bench.paid()
        let charge = try #require(bench.deliver().first { $0.message["ObjectType"]?.text == "CHARGE" })
        #expect(charge.url == Bench.receiver)
        #expect(charge.fields["content-type"] == "text/plain; charset=UTF-8")
        #expect(charge.fields["x-amz-sns-message-type"] == "Notification")
        #expect(charge.fields["x-amz-sns-message-id"] == charge.text("MessageId"))
        #expect(charge.fields["x-amz-sns-topic-arn"] == Bench.topic)
        #expect(
            charge.body.members.map(\.name) == [
                "Type", "MessageId", "TopicArn", "Message", "Timestamp", "SignatureVersion", "Signature",
                "SigningCertURL", "UnsubscribeURL",
            ]
        )
        #expect(charge.text("Timestamp") == "2026-03-14T01:59:26.007Z")
        #expect(
            charge.message.members.map(\.name) == [
                "MerchantID", "ObjectType", "ObjectId", "ChargePermissionId", "NotificationType", "NotificationId",
                "NotificationVersion",
            ]
        )
        #expect(charge.message["MerchantID"]?.text == Bench.merchantID)
        #expect(charge.message["ChargePermissionId"]?.text == paid.permission)
        #expect(charge.message["NotificationType"]?.text == "STATE_CHANGE")
    }

    @Test(arguments: [("1", ["1", "1"]), ("2", ["2", "2"]), ("alternating", ["1", "2"])])
    func `is signed under the certificate that it names`(version: String, versions: [String]) throws {
        var bench = Bench()
        bench.subscribe(["version": .string(version)])
        _ = bench.paid()
        let told = bench.deliver()
        #expect(told.map { $0.text("SignatureVersion") } == versions)
        for one in told {
            let verdict = try bench.judge(one)
            guard case .good = verdict.chain else {
                Issue.record("\(verdict)")
                continue
            }
            #expect(verdict.isSigned)
        }
    }

    @Test func `carries the real time, wherever the objects' time is`() {
        var bench = Bench()
        bench.subscribe()
        bench.advance("P20D")
        _ = bench.paid()
        #expect(bench.deliver().allSatisfy { $0.text("Timestamp") == "2026-03-14T01:59:26.000Z" })
    }

    @Test func `comes without anybody asking when something happens by itself`() throws {
        var bench = Bench()
        bench.subscribe()
        let charge = bench.captured()
        _ = bench.deliver()
        _ = bench.refund(charge, 1)
        _ = bench.deliver()
        let wait = try #require(bench.model.untilNextDelivery)
        #expect(wait == .seconds(5))
        bench.now = bench.now + wait
        #expect(bench.deliver().map { $0.message["ObjectType"]?.text } == ["REFUND"])
    }
}

@Suite("The delivery of a notification")
struct DeliveryTests {
    /// A bench with one notification that waits.
    private static func waiting() -> Bench {
        var bench = Bench()
        bench.subscribe()
        bench.send(["objectId": "S03-0000000-0000000-C000000", "objectType": "CHARGE"])
        return bench
    }

    @Test(arguments: [nil, 500, 503] as [Int?])
    func `is tried again one, two and three hours after the first try`(status: Int?) {
        var bench = Self.waiting()
        let first = bench.deliver(status)
        #expect(first.count == 1)
        for _ in 0..<3 {
            bench.advance("PT59M")
            #expect(bench.deliver(status).isEmpty)
            bench.advance("PT1M")
            let again = bench.deliver(status)
            #expect(again.map { $0.text("MessageId") } == first.map { $0.text("MessageId") })
            #expect(again.map { $0.text("Timestamp") } == first.map { $0.text("Timestamp") })
        }
        bench.advance("PT24H")
        #expect(bench.deliver().isEmpty)
        let entries = bench.deliveries()
        #expect(entries.map { $0["try"]?.integer } == [1, 2, 3, 4])
        #expect(
            entries.map { $0["nextTry"]?.text } == [
                "2026-03-14T02:59:26Z", "2026-03-14T03:59:26Z", "2026-03-14T04:59:26Z", nil,
            ]
        )
        #expect(entries.map { $0["status"]?.integer } == [status, status, status, status])
    }

    @Test(arguments: [200, 204, 301, 400, 403, 404, 429])
    func `ends with any other answer`(status: Int) {
        var bench = Self.waiting()
        #expect(bench.deliver(status).count == 1)
        bench.advance("PT4H")
        #expect(bench.deliver().isEmpty)
        #expect(bench.deliveries().map { $0["status"]?.integer } == [status])
    }

    @Test func `succeeds at the second try`() {
        var bench = Self.waiting()
        _ = bench.deliver(500)
        bench.advance("PT1H")
        _ = bench.deliver(200)
        bench.advance("PT4H")
        #expect(bench.deliver().isEmpty)
        #expect(bench.deliveries().map { $0["status"]?.integer } == [500, 200])
    }

    @Test func `does not begin twice while it is under way`() {
        var bench = Self.waiting()
        let deliveries = bench.model.takePendingDeliveries(at: bench.now)
        #expect(deliveries.count == 1)
        bench.advance("PT5H")
        #expect(bench.model.takePendingDeliveries(at: bench.now).isEmpty)
        #expect(bench.model.untilNextDelivery == nil)
        bench.model.endDelivery(deliveries[0].number, status: 200, at: bench.now)
        #expect(bench.deliveries().count == 1)
    }

    @Test func `waits while everything is paused, and can be shuffled`() {
        var bench = Bench()
        bench.subscribe()
        #expect(bench.control("POST", "ipn/pause").json["paused"]?.flag == true)
        let ids = (0..<20).map { "S03-0000000-0000000-C0000\(10 + $0)" }
        for id in ids { bench.send(["objectId": .string(id), "objectType": "CHARGE"]) }
        #expect(bench.deliver().isEmpty)
        #expect(bench.control("POST", "ipn/shuffle").json["waiting"]?.integer == 20)
        bench.control("POST", "ipn/resume")
        let told = bench.deliver().compactMap { $0.message["ObjectId"]?.text }
        #expect(told != ids)
        #expect(told.sorted() == ids)
    }

    @Test func `is repeated under one id and put off`() {
        var bench = Bench()
        bench.subscribe()
        let wish: JSONValue = [
            "objectId": "S03-0000000-0000000-R000001", "objectType": "REFUND", "duplicates": 2, "delay": "PT1H",
        ]
        bench.send(wish)
        #expect(bench.deliver().isEmpty)
        bench.advance("PT1H")
        let told = bench.deliver()
        #expect(told.count == 3)
        #expect(Set(told.map { $0.text("MessageId") }).count == 1)
        #expect(told.first?.message["ChargePermissionId"]?.text == "S03-0000000-0000000")
    }

    @Test func `is forgotten by a reset, who is notified is not`() {
        var bench = Self.waiting()
        let deliveries = bench.model.takePendingDeliveries(at: bench.now)
        bench.control("POST", "reset")
        bench.control("POST", "options", ["signature": "off"])
        // An end that comes late hits nothing.
        bench.model.endDelivery(deliveries[0].number, status: 500, at: bench.now)
        #expect(bench.deliveries().isEmpty)
        _ = bench.paid()
        #expect(bench.deliver().count == 2)
    }

    @Test(arguments: [
        #"{}"#, #"{"objectId":"x"}"#, #"{"objectId":"x","objectType":"ORDER"}"#,
        #"{"objectId":"x","objectType":"CHARGE","corrupt":"everything"}"#,
        #"{"objectId":"x","objectType":"CHARGE","delay":"soon"}"#,
        #"{"objectId":"x","objectType":"CHARGE","version":"3"}"#, #"{"objectId":"x","more":1}"#,
    ])
    func `that makes no sense is refused`(body: String) {
        var bench = Bench()
        bench.subscribe()
        #expect(bench.send(SimulatorRequest("POST", "/_sim/ipn", body: Array(body.utf8))).0.status == 400)
        #expect(bench.deliver().isEmpty)
    }

    @Test(arguments: [
        (#"{"url":"http://shop.example.test/","topicArn":"t"}"#, 400), (#"{"url":"https://shop.example.test/"}"#, 400),
        (#"{"url":"https://shop.example.test/","topicArn":"t","merchantId":"A9"}"#, 404),
        (#"{"url":"https://shop.example.test/","topicArn":"t","version":"3"}"#, 400),
    ])
    func `goes to no place that makes no sense`(body: String, status: Int) {
        var bench = Bench()
        #expect(bench.send(SimulatorRequest("POST", "/_sim/ipn/target", body: Array(body.utf8))).0.status == status)
        let charge: JSONValue = ["objectId": "x", "objectType": "CHARGE"]
        #expect(bench.control("POST", "ipn", charge).status == 409)
    }
}

@Suite("A notification that nobody should believe")
struct CorruptionTests {
    private static let charge: JSONValue = [
        "objectId": "S03-0000000-0000000-C000000", "objectType": "CHARGE",
    ]

    private static func sent(_ corruption: String) throws -> (bench: Bench, Delivered) {
        var bench = Bench()
        bench.subscribe()
        bench.send(.object(charge.members + [JSONMember("corrupt", .string(corruption))]))
        return (bench, try #require(bench.deliver().first))
    }

    @Test(arguments: ["message", "signature"])
    func `has another signature than its content`(corruption: String) throws {
        var (bench, sent) = try Self.sent(corruption)
        let verdict = try bench.judge(sent)
        #expect(!verdict.isSigned)
        guard case .good = verdict.chain else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test(arguments: [
        ("expiredCert", ChainVerdict.expired), ("wrongName", .wrongName), ("unrelatedRoot", .untrusted("")),
    ])
    func `is signed under a certificate that is not good`(corruption: String, verdict: ChainVerdict) throws {
        var (bench, sent) = try Self.sent(corruption)
        let judged = try bench.judge(sent)
        #expect(judged.isSigned)
        switch (judged.chain, verdict) {
        case (.untrusted, .untrusted): break
        default: #expect(judged.chain == verdict)
        }
    }

    @Test func `is of another topic, and well signed`() throws {
        var (bench, sent) = try Self.sent("topic")
        #expect(sent.text("TopicArn") != Bench.topic)
        #expect(try bench.judge(sent).isSigned)
    }

    @Test func `names a certificate at a strange host`() throws {
        let (_, sent) = try Self.sent("certUrl")
        let url = sent.text("SigningCertURL")
        #expect(url.hasPrefix("https://sns.ap-northeast-1.amazonaws.com.example.test/SimpleNotificationService-"))
    }

    @Test func `has a version that does not exist`() throws {
        let (_, sent) = try Self.sent("version")
        #expect(sent.text("SignatureVersion") == "3")
    }
}

@Suite("The certificates of notifications")
struct SenderCertificateTests {
    @Test func `change, and older ones are served for a while`() throws {
        var bench = Bench()
        bench.subscribe()
        let charge: JSONValue = ["objectId": "S03-0000000-0000000-C000000", "objectType": "CHARGE"]
        bench.send(charge)
        let first = try #require(bench.deliver().first)
        for _ in 0..<3 { bench.control("POST", "ipn/rotate-cert") }
        bench.send(charge)
        let second = try #require(bench.deliver().first)
        #expect(first.text("SigningCertURL") != second.text("SigningCertURL"))
        #expect(try bench.judge(first).isSigned)
        #expect(try bench.judge(second).isSigned)
        bench.control("POST", "ipn/rotate-cert")
        #expect(bench.file(first.text("SigningCertURL")).isEmpty)
    }

    @Test func `may come without the one that issued them`() throws {
        var bench = Bench()
        bench.subscribe(["servesIssuer": false])
        bench.send(["objectId": "S03-0000000-0000000-C000000", "objectType": "CHARGE"])
        let sent = try #require(bench.deliver().first)
        let verdict = try bench.judge(sent)
        guard case .untrusted = verdict.chain else {
            Issue.record("\(verdict)")
            return
        }
        let helped = try CertificateChain(
            anchorsPEM: bench.control("GET", "ipn/anchor.pem").body,
            intermediatesPEM: bench.control("GET", "ipn/issuer.pem").body
        )
        let file = bench.file(sent.text("SigningCertURL"))
        guard case .good = helped.verify(leafPEM: file, names: ["sns.amazonaws.com"], at: bench.now) else {
            Issue.record("not good with the issuer's certificate")
            return
        }
    }

    @Test func `may be said to be at a real address`() throws {
        var bench = Bench()
        bench.subscribe(["certificateBase": "https://sns.ap-northeast-1.amazonaws.com"])
        bench.send(["objectId": "S03-0000000-0000000-C000000", "objectType": "CHARGE"])
        let url = try #require(bench.deliver().first).text("SigningCertURL")
        #expect(url.hasPrefix("https://sns.ap-northeast-1.amazonaws.com/SimpleNotificationService-"))
        #expect(url.hasSuffix(".pem"))
    }

    @Test func `sign confirmations too`() throws {
        var bench = Bench()
        bench.subscribe()
        for type in ["SubscriptionConfirmation", "UnsubscribeConfirmation"] {
            bench.send(["type": .string(type)])
            let sent = try #require(bench.deliver().first)
            #expect(sent.text("Type") == type)
            #expect(!sent.text("Token").isEmpty)
            #expect(sent.text("SubscribeURL").contains("Action=ConfirmSubscription"))
            #expect(sent.body["UnsubscribeURL"] == nil)
            #expect(try bench.judge(sent).isSigned)
        }
    }

    @Test func `are not served where nobody is notified`() {
        var bench = Bench()
        #expect(bench.call("GET", "/SimpleNotificationService-0.pem").status == 404)
    }
}

extension Bench {
    /// Sends a notification by the control interface.
    fileprivate mutating func send(_ wish: JSONValue) {
        let answer = control("POST", "ipn", wish)
        #expect(answer.status == 200, "\(answer.text)")
    }
}
