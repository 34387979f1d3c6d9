import Cryptography
import HTTPCore
import Notifications
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("A notification of the vectors")
struct NotificationVectorTests {
    @Test func `comes in 15 good and 23 bad samples, with 24 addresses`() {
        #expect(NotificationVectors.valid.count == 15)
        #expect(NotificationVectors.negative.count == 23)
        #expect(NotificationVectors.addresses.count == 24)
    }

    @Test(arguments: NotificationVectors.valid)
    func `has the vector's octets, and a signature that our signer makes too`(vector: NotificationVector) throws {
        let envelope = try SNSEnvelope(vector.body)
        #expect(String(decoding: envelope.canonicalOctets, as: UTF8.self) == vector.text("canonicalString"))
        let digest = try #require(envelope.digest)
        #expect(digest == (vector.text("digest") == "SHA-1" ? .sha1 : .sha256))
        let key = try RSAPrivateKey(pem: Secret(NotificationVectors.pem("sns-leaf-key.pem")))
        #expect(try key.signPKCS1(envelope.canonicalOctets, digest: digest) == envelope.signature)
    }

    @Test(arguments: NotificationVectors.valid)
    func `that is good is believed after one fetch`(vector: NotificationVector) async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor, serving: vector.text("certificateServedAtUrl"))
            let verified = try await bench.verifier.verify(vector.body, now: NotificationVectors.clock)
            let envelope = try SNSEnvelope(vector.body)
            switch envelope.type {
            case .subscriptionConfirmation:
                #expect(verified == .subscription(confirmURL: envelope.subscribeURL ?? ""))
            case .unsubscribeConfirmation: #expect(verified == .unsubscription)
            case .notification: try expect(verified, vector, envelope.messageID)
            }
            #expect(bench.server.requests.map(\.url) == [NotificationVectors.url])
            #expect(bench.server.requests.map(\.method) == ["GET"])
            #expect(bench.server.requests.map(\.timeout) == [.seconds(2)])
        }
    }

    private func expect(_ verified: VerifiedNotification, _ vector: NotificationVector, _ messageID: String) throws {
        guard case .change(let change) = verified else {
            Issue.record("\(verified) is no change")
            return
        }
        #expect(change.messageID == messageID)
        #expect(change.kind.rawValue == vector.inner("ObjectType"))
        #expect(change.objectID == vector.inner("ObjectId"))
        #expect(change.permission == vector.inner("ChargePermissionId"))
        #expect(change.merchantID == vector.inner("MerchantID"))
        #expect(change.notificationType == vector.inner("NotificationType"))
        #expect(change.notificationID == vector.inner("NotificationId"))
    }

    /// Why each is refused, and whether a certificate has to be fetched to know.
    private static let reasons: [String: (outcome: String, fetches: Int)] = [
        "message-altered": ("signature", 1), "timestamp-altered": ("stale", 0), "subject-injected": ("signature", 1),
        "signature-version-swapped": ("signature", 1), "signature-version-3": ("version", 0),
        "type-swapped": ("signature", 1), "other-signer": ("signature", 1), "unrelated-root": ("certificate", 1),
        "expired-certificate": ("certificate", 1), "wrong-certificate-name": ("certificate", 1),
        "foreign-topic": ("topic", 0), "foreign-merchant": ("merchant", 1),
        "cert-url-foreign-host": ("certificate_url", 0), "subscribe-url-foreign-host": ("subscribe_url", 0),
        "signature-missing": ("malformed", 0), "message-missing": ("malformed", 0),
        "message-not-string": ("malformed", 0), "signature-not-base64": ("malformed", 0),
        "inner-not-json": ("malformed", 1), "inner-unknown-object": ("", 1), "duplicate-member": ("malformed", 0),
        "not-json": ("malformed", 0), "empty-body": ("malformed", 0),
    ]

    @Test(arguments: NotificationVectors.negative)
    func `that is bad is refused, and fetched for only where that could help`(vector: NotificationVector) async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor, serving: vector.text("certificateServedAtUrl"))
            let reason = try #require(NotificationVectorTests.reasons[vector.text("name")])
            do throws(NotificationRefusal) {
                let verified = try await bench.verifier.verify(vector.body, now: NotificationVectors.clock)
                #expect(vector.text("expect") == "ignore")
                #expect(
                    verified
                        == .unknownObject(messageID: "00000000-0000-4000-8000-0000000000f9", kind: "DISPUTE_X")
                )
            } catch {
                #expect(vector.text("expect") == "reject")
                #expect(error.status == vector.value["suggestedStatus"]?.integer)
                #expect(error.outcome == reason.outcome)
            }
            #expect(bench.server.requests.count == reason.fetches)
        }
    }

    @Test(arguments: NotificationVectors.addresses)
    func `has its certificate at an address of the notification service`(address: JSONValue) throws {
        let url = try #require(address["url"]?.text)
        #expect(CertificateURLRule().allows(url) == address["allowed"]?.flag)
    }
}
