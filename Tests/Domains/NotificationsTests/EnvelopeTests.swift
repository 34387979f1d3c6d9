import Notifications
import Primitives
import StrictJSON
import Testing

@Suite("The envelope of a notification")
struct EnvelopeTests {
    @Test(arguments: [
        "Type", "MessageId", "TopicArn", "Message", "Timestamp", "SignatureVersion", "Signature", "SigningCertURL",
    ])
    func `needs each member as a text`(name: String) {
        var notification = SignedNotification()
        notification.members.removeValue(forKey: name)
        #expect(SignedNotification.refusal(notification.body) == "\(name) is missing")
        let others: [(JSONValue, String)] = [
            (.null, "missing"), (.number("1"), "not a text"), (.array([]), "not a text"),
        ]
        for (value, words) in others {
            notification.members[name] = value
            #expect(SignedNotification.refusal(notification.body) == "\(name) is \(words)")
        }
    }

    @Test(arguments: ["Token", "SubscribeURL"], ["SubscriptionConfirmation", "UnsubscribeConfirmation"])
    func `of a confirmation needs its own members`(name: String, type: String) {
        var notification = SignedNotification()
        notification.members["Type"] = .string(type)
        notification.members["Token"] = "t"
        notification.members["SubscribeURL"] = "https://sns.us-east-1.amazonaws.com/?A=1"
        #expect(SignedNotification.refusal(notification.body) == nil)
        notification.members.removeValue(forKey: name)
        #expect(SignedNotification.refusal(notification.body) == "\(name) is missing")
    }

    @Test func `holds nothing that the signature does not cover`() throws {
        var notification = SignedNotification()
        notification.members["Token"] = "t"
        notification.members["SubscribeURL"] = "https://evil.example/"
        notification.members["Subject"] = "s"
        let plain = try SNSEnvelope(notification.body)
        #expect(plain.token == nil)
        #expect(plain.subscribeURL == nil)
        #expect(plain.subject == "s")
        notification.members["Type"] = "SubscriptionConfirmation"
        let confirmation = try SNSEnvelope(notification.body)
        #expect(confirmation.token == "t")
        #expect(confirmation.subject == nil)
    }

    @Test func `has no more values than a message needs`() {
        var notification = SignedNotification()
        // Beside the eight members, the object and the list.
        for (count, word) in [(246, nil), (247, "the body is not strict JSON")] {
            notification.members["More"] = .array(Array(repeating: 1, count: count))
            #expect(SignedNotification.refusal(notification.body) == word)
        }
    }

    @Test func `has one spelling of each address`() {
        var notification = SignedNotification()
        notification.members["SigningCertUrl"] = "https://sns.us-east-1.amazonaws.com/x.pem"
        #expect(SignedNotification.refusal(notification.body) == "SigningCertUrl is not known")
        notification.members.removeValue(forKey: "SigningCertURL")
        #expect(SignedNotification.refusal(notification.body) == nil)
    }

    @Test func `may have members that nobody knows`() {
        var notification = SignedNotification()
        notification.members["MessageAttributes"] = ["a": ["Type": "String", "Value": "b"]]
        #expect(SignedNotification.refusal(notification.body) == nil)
    }

    @Test(
        arguments: [
            ("Type", "notification"), ("Type", ""), ("MessageId", ""), ("MessageId", "a b"), ("MessageId", "é"),
            ("MessageId", .string(String(repeating: "a", count: 101))), ("Timestamp", ""),
            ("Signature", ""), ("Signature", "AAA"), ("Signature", "AAAA\n"), ("Signature", "AA-_"),
        ] as [(String, JSONValue)]
    )
    func `refuses a member of another form`(name: String, value: JSONValue) {
        var notification = SignedNotification()
        notification.members[name] = value
        #expect(SignedNotification.refusal(notification.body)?.hasPrefix(name + " is") == true)
    }

    @Test(arguments: ["", "{", "[]", "null", "\"x\"", "{} {}", #"{"Type":1,"Type":2}"#, "\u{FEFF}{}"])
    func `is one object of strict JSON`(text: String) {
        #expect(SignedNotification.refusal(Array(text.utf8)) != nil)
    }

    @Test func `says nothing about a sender's own words in a refusal`() {
        let body = Array(#"{"secret-word":1,"secret-word":2}"#.utf8)
        #expect(SignedNotification.refusal(body)?.contains("secret") == false)
    }

    @Test(
        arguments: [
            ("2026-03-14T02:00:00.000Z", 1_773_453_600_000_000), ("2026-03-14T02:00:00Z", 1_773_453_600_000_000),
            ("2026-03-14T02:00:00.5Z", 1_773_453_600_500_000),
            ("2026-03-14T02:00:00.123456Z", 1_773_453_600_123_456),
            ("2026-03-14T02:00:00.123456789Z", 1_773_453_600_123_456),
            ("2028-02-29T00:00:00.000Z", 1_835_395_200_000_000),
        ] as [(String, Int64)]
    )
    func `tells its time`(text: String, microseconds: Int64) throws {
        var notification = SignedNotification()
        notification.members["Timestamp"] = .string(text)
        #expect(try SNSEnvelope(notification.body).timestamp == WallTime(microseconds: microseconds))
    }

    @Test(arguments: [
        "2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00", "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00.1234567890Z", "2026/01/01T00:00:00Z", "1969-12-31T23:59:59Z", "20260101T000000Z",
        "2026-01-01T00:00:00.00xZ", "2026-01-0１T00:00:00Z",
    ])
    func `refuses what is no time`(text: String) {
        var notification = SignedNotification()
        notification.members["Timestamp"] = .string(text)
        #expect(SignedNotification.refusal(notification.body) == "Timestamp is no time")
    }
}
