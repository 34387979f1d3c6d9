import Cryptography
import EventIO
import FeatureTestKit
import Foundation
import HTTPCore
import Notifications
import Postgres
import PostgresTestKit
import Primitives
import StrictJSON
import TestKit
import Testing

/// Messages of the provider, signed by the test service.
enum Message {
    static let topic = "arn:aws:sns:ap-northeast-1:000000000000:A0TESTMERCHANT00"
    static let certificate =
        "https://sns.ap-northeast-1.amazonaws.com/SimpleNotificationService-00000000000000000000000000000001.pem"
    static let object =
        #"{"MerchantID":"A1EXAMPLE2MERCH","ObjectType":"CHARGE","ObjectId":"S03-1234567-7654321-C012345"}"#

    private static func path(_ name: String) -> String {
        ProjectFolder.vectors("CryptographyTests", on: "Platform") + "/\(name)"
    }

    static func pem(_ name: String) throws -> [UInt8] { try Files.read(path(name)) }

    static var settings: [String: String] {
        [
            "notifications.topic_arn": topic, "notifications.trust_anchor": path("sns-root.pem"),
            "notifications.intermediates": path("sns-issuing.pem"),
        ]
    }

    /// A message of this very second.
    static func signed(_ message: String = object, topic: String = Message.topic) throws -> String {
        String(decoding: bytes(try members(message, topic: topic)), as: UTF8.self)
    }

    /// The members of such a message.
    static func members(
        _ message: String = object,
        topic: String = Message.topic
    ) throws -> [String: JSONValue] {
        let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(Date())
        var members: [String: JSONValue] = [
            "Type": "Notification", "MessageId": "m-1", "TopicArn": .string(topic), "Message": .string(message),
            "Timestamp": .string(time), "SignatureVersion": "2", "Signature": "AAAA",
            "SigningCertURL": .string(certificate),
        ]
        let envelope = try SNSEnvelope(bytes(members))
        let key = try RSAPrivateKey(pem: Secret(pem("sns-leaf-key.pem")))
        let signature = try key.signPKCS1(envelope.canonicalOctets, digest: envelope.digest ?? .sha256)
        members["Signature"] = .string(Base64.encode(signature))
        return members
    }

    static func bytes(_ members: [String: JSONValue]) -> [UInt8] {
        JSONValue.object(members.sorted { $0.key < $1.key }.map { JSONMember($0.key, $0.value) }).bytes
    }
}

@Suite struct `A message of the provider` {
    private func post(_ shop: ScriptedProgram, _ body: String) async throws -> Answer {
        try await shop.ask(.post, "/ipn/amazon-pay", type: "text/plain", body: body)
    }

    @Test func `that is refused is in the log beside a flood that is refused for another reason`() async throws {
        let foreign = try Message.signed(topic: "arn:aws:sns:ap-northeast-1:000000000000:OTHER")
        try await withCheckout(Message.settings) { shop in
            for _ in 0..<50 { _ = try await post(shop, "{}") }
            let refusal = try await post(shop, foreign)
            #expect(refusal.status == 403)
            #expect(!shop.log.lines(with: "\"malformed\"").isEmpty)
            #expect(shop.log.lines(with: "\"topic\"").count == 1)
        }
    }

    @Test(arguments: ["taken", "duplicate", "unknown"])
    func `is answered once it is written down`(receipt: String) async throws {
        try await withCheckout(Message.settings) { shop in
            shop.provider.answer(200, String(decoding: try Message.pem("sns-leaf.pem"), as: UTF8.self))
            shop.database.answer("notification_receive", Parameters { $0.append(text: receipt) })
            let answer = try await post(shop, try Message.signed())
            #expect(answer.status == 200 && answer.body.isEmpty && answer[.cacheControl] == "no-store")
            #expect(shop.provider.requests.map(\.url) == [Message.certificate])
            let asked = try #require(shop.database.asked.first).parameters
            let (id, kind, object, permission) = (
                try asked.text(0, 0), try asked.text(0, 1), try asked.text(0, 2), try asked.text(0, 3)
            )
            #expect(id == "m-1" && kind == "CHARGE")
            #expect(object == "S03-1234567-7654321-C012345" && permission == "S03-1234567-7654321")
        }
    }

    @Test func `that cannot be written down or judged now is asked for again`() async throws {
        try await withCheckout(Message.settings) { shop in
            shop.provider.fail(.connectFailed)
            let unjudged = try await post(shop, try Message.signed())
            #expect(unjudged.status == 503)
        }
        try await withCheckout(Message.settings) { shop in
            shop.provider.answer(200, String(decoding: try Message.pem("sns-leaf.pem"), as: UTF8.self))
            shop.database.fail("notification_receive", .unavailable)
            let unwritten = try await post(shop, try Message.signed())
            #expect(unwritten.status == 503 && unwritten.body.isEmpty)
        }
    }

    @Test func `that is none, or not for us, is refused for good`() async throws {
        let foreign = Message.object.replacing("A1EXAMPLE2MERCH", with: "A0OTHER")
        try await withCheckout(Message.settings) { shop in
            let malformed = try await post(shop, "{}")
            #expect(malformed.status == 400 && malformed.body.isEmpty)
            let topic = try await post(shop, try Message.signed(topic: Message.topic + "X"))
            #expect(topic.status == 403)
            shop.provider.answer(200, String(decoding: try Message.pem("sns-leaf.pem"), as: UTF8.self))
            let merchant = try await post(shop, try Message.signed(foreign))
            #expect(merchant.status == 403 && merchant.body.isEmpty)
            let changed = try Message.signed().replacing("C012345", with: "C999999")
            let forged = try await post(shop, changed)
            #expect(forged.status == 403)
        }
    }

    @Test func `is not taken where the settings name no topic`() async throws {
        try await withCheckout { shop in
            let answer = try await post(shop, try Message.signed())
            #expect(answer.status == 404 && answer.failure == "not_found")
        }
    }
}
