import HTTPCore
import Notifications
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("A notification that is judged")
struct VerifierTests {
    private func outcome(_ body: [UInt8], at now: WallTime = NotificationVectors.clock) async throws -> String {
        try await withLoop { reactor in
            let verifier = try CertificateBench(on: reactor).verifier
            do throws(NotificationRefusal) {
                let verified = try await verifier.verify(body, now: now)
                return switch verified {
                case .change(let change): change.kind.rawValue
                case .subscription: "subscription"
                case .unsubscription: "unsubscription"
                case .unknownObject(_, let kind): "unknown " + kind
                }
            } catch {
                return error.outcome
            }
        }
    }

    private func message(_ members: JSONValue) throws -> [UInt8] {
        var notification = SignedNotification()
        notification.members["Message"] = .string(String(decoding: members.bytes, as: UTF8.self))
        return try notification.signed()
    }

    private let charge: JSONValue = [
        "MerchantID": "A0TESTMERCHANT00", "ObjectType": "CHARGE", "ObjectId": "S03-1-2-C3",
    ]

    @Test(
        arguments: [
            (.seconds(14_400), "CHARGE"), (.microseconds(14_400_000_001), "stale"), (.seconds(-300), "CHARGE"),
            (.microseconds(-300_000_001), "stale"), (.seconds(3 * 3600 + 60), "CHARGE"),
        ] as [(Duration, String)]
    )
    func `may be as old as its last repeat, and hardly from the future`(age: Duration, expected: String) async throws {
        let body = try message(charge)
        #expect(try await outcome(body, at: SignedNotification.timestamp + age) == expected)
    }

    @Test func `has to be about us and to name an object`() async throws {
        let ours: JSONValue = "A0TESTMERCHANT00"
        let cases: [(JSONValue, String)] = [
            (charge, "CHARGE"),
            (["merchantId": ours, "objectType": "REFUND", "objectId": "R"], "REFUND"),
            (["MerchantID": ours, "ObjectType": "CHARGE", "ObjectId": "C", "ChargePermissionId": ""], "CHARGE"),
            (["MerchantID": "A0OTHER", "ObjectType": "CHARGE", "ObjectId": "C"], "merchant"),
            (["MerchantID": "a0testmerchant00", "ObjectType": "CHARGE", "ObjectId": "C"], "merchant"),
            (["MerchantID": "A0OTHER", "ObjectType": "NEW", "ObjectId": "C"], "merchant"),
            (["ObjectType": "CHARGE", "ObjectId": "C"], "malformed"),
            (["MerchantID": ours, "ObjectId": "C"], "malformed"),
            (["MerchantID": ours, "ObjectType": "CHARGE"], "malformed"),
            (["MerchantID": ours, "ObjectType": "CHARGE", "ObjectId": ""], "malformed"),
            (["MerchantID": ours, "ObjectType": "CHARGE", "ObjectId": "a/b"], "malformed"),
            (["MerchantID": ours, "ObjectType": "CHARGE", "ObjectId": 7], "malformed"),
            (
                ["MerchantID": ours, "ObjectType": "CHARGE", "ObjectId": "C", "ChargePermissionId": "../x"], "malformed"
            ),
            (["MerchantID": ours, "merchantID": ours, "ObjectType": "CHARGE", "ObjectId": "C"], "malformed"),
            (["MerchantID": ours, "ObjectType": "charge", "ObjectId": "C"], "unknown charge"),
            (["MerchantID": ours, "ObjectType": "N\n\u{e9}W", "ObjectId": "C"], "unknown NW"),
            ([], "malformed"),
        ]
        for (members, expected) in cases {
            let body = try message(members)
            #expect(try await outcome(body) == expected, "\(members)")
        }
    }

    @Test func `of the earlier interface is known as such`() async throws {
        let xml: JSONValue = "<?xml version=\"1.0\"?><CaptureNotification/>"
        let ours: JSONValue = [
            "NotificationType": "PaymentCapture", "SellerId": "A0TESTMERCHANT00", "NotificationData": xml,
        ]
        #expect(try await outcome(message(ours)) == "unknown PaymentCapture")
        #expect(try await outcome(message(["NotificationData": xml])) == "unknown ")
        let theirs: JSONValue = ["NotificationType": "PaymentCapture", "SellerId": "X", "NotificationData": xml]
        #expect(try await outcome(message(theirs)) == "merchant")
    }

    @Test func `carries a mark of any text, but no long one`() async throws {
        for (mark, expected) in [("備考", "備考"), (String(repeating: "x", count: 129), nil)] {
            var members = charge.members
            members.append(JSONMember("NotificationId", .string(mark)))
            let body = try message(.object(members))
            let verified = try await withLoop { reactor in
                try await CertificateBench(on: reactor).verifier.verify(body, now: NotificationVectors.clock)
            }
            guard case .change(let change) = verified else {
                Issue.record("\(verified) is no change")
                continue
            }
            #expect(change.notificationID == expected)
            #expect(change.notificationType == "")
            #expect(change.permission == nil)
        }
    }

    @Test(arguments: ["1", "2"])
    func `is refused when its signature is another`(version: String) async throws {
        var notification = SignedNotification()
        notification.members["SignatureVersion"] = .string(version)
        notification.members["Message"] = .string(String(decoding: charge.bytes, as: UTF8.self))
        #expect(try await outcome(notification.signed()) == "CHARGE")
        let text = String(decoding: try notification.signed(), as: UTF8.self)
        let altered = text.replacing(#""Signature":""#, with: #""Signature":"AAAA"#)
        #expect(try await outcome(Array(altered.utf8)) == "signature")
    }

    @Test func `fetches for a signature only when everything else is right`() async throws {
        try await withLoop { reactor in
            let bench = try CertificateBench(on: reactor)
            var notification = SignedNotification()
            notification.members["TopicArn"] = "arn:aws:sns:ap-northeast-1:000000000000:OTHER"
            for number in 0..<10 {
                notification.members["SigningCertURL"] = .string(CertificateBench.address(number))
                let body = notification.body
                let refusal = await #expect(throws: NotificationRefusal.self) {
                    try await bench.verifier.verify(body, now: NotificationVectors.clock)
                }
                #expect(refusal == .foreign(.topic))
            }
            #expect(bench.server.requests.isEmpty)
        }
    }
}
