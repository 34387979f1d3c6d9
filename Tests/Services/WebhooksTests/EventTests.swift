import Primitives
import StrictJSON
import TestKit
import Testing
import Webhooks

@Suite("An event for a merchant")
struct EventTests {
    private let id = UUIDBytes(high: 0x0195_923F_6C00_7000, low: 0x8000_0000_0000_0001)
    private let subject = UUIDBytes(high: 0x0195_923F_6C00_7000, low: 0x8000_0000_0000_0002)

    private func event(_ data: JSONValue) -> WebhookEvent {
        WebhookEvent(
            id: id,
            type: WebhookEventType.chargeCaptured.text,
            subject: .session(subject),
            sequence: 7,
            at: WallTime(microseconds: 1_773_453_566_999_999),
            data: data
        )
    }

    @Test func `has one body, octet for octet`() {
        let body = event(["state": "captured", "total": ["amount": .number("12.50"), "currencyCode": "USD"]]).body
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"object":"event","id":"evt_0195923f-6c00-7000-8000-000000000001","type":"charge.captured","#
                + #""createdAt":"2026-03-14T01:59:26Z","sessionId":"0195923f-6c00-7000-8000-000000000002","#
                + #""sequence":7,"data":{"state":"captured","total":{"amount":12.50,"currencyCode":"USD"}}}"#
        )
    }

    @Test func `cannot be broken out of by what it tells`() throws {
        let hostile: JSONValue = ["reference": "\"},\"id\":\"evt_other\"\n\u{1}\u{7F}"]
        let body = event(hostile).body
        #expect(!body.contains(UInt8(ascii: "\n")))
        let value = try JSONParser.parse(body)
        #expect(value["data"] == hostile)
        #expect(value.members.map(\.name) == ["object", "id", "type", "createdAt", "sessionId", "sequence", "data"])
    }

    @Test func `of a feature names its subject in place of a session`() throws {
        let id = UUIDBytes(high: 1, low: 2)
        let subject = UUIDBytes(high: 3, low: 4)
        let event = WebhookEvent(
            id: id,
            type: "note.written",
            subject: EventSubject("note", subject),
            sequence: 2,
            at: WallTime(seconds: 0),
            data: ["text": "hello"]
        )
        let text = String(decoding: event.body, as: UTF8.self)
        #expect(
            text == """
                {"object":"event","id":"\(WebhookEvent.text(of: id))","type":"note.written","createdAt":"1970-01-01T00:00:00Z",\
                "sessionId":null,"subject":{"kind":"note","id":"\(subject)"},"sequence":2,"data":{"text":"hello"}}
                """
        )
    }

    @Test func `has a type of those that the program has`() {
        #expect(WebhookEventType.ofOrders.count == 18)
        let own = WebhookEventType("note.written")
        let known = WebhookEventType.ofOrders + [own]
        let types = WebhookEventType.parse("session.paid,note.written,refund.declined", among: known)
        #expect(types == [.sessionPaid, own, .refundDeclined])
        #expect(WebhookEventType.parse("session.paid,note.written", among: WebhookEventType.ofOrders) == nil)
    }

    @Test(arguments: ["", ",", "session.paid,", "session.paid, refund.declined", "session.paid,session.paid", "paid"])
    func `is not of a type in a list that is not well formed`(text: String) {
        #expect(WebhookEventType.parse(text, among: WebhookEventType.ofOrders) == nil)
    }
}

@Suite("A key for events")
struct KeyTests {
    @Test func `is shown as text, and comes back from it`() throws {
        let key = WebhookKey.mint(random: SeededRandom(seed: 1))
        let other = WebhookKey.mint(random: SeededRandom(seed: 2))
        #expect(key.id.hasPrefix("whk_"))
        #expect(key.id.utf8.count == 20)
        #expect(key.id != other.id)
        #expect(key.secret.reveal().count == 32)
        #expect(key.secret.reveal() != other.secret.reveal())
        let text = key.text.reveal()
        #expect(text.hasPrefix("whsec_") && text.hasSuffix("="))
        #expect(text.utf8.count == 50)
        #expect(WebhookKey.secret(text)?.reveal() == key.secret.reveal())
        #expect(!"\(key)".contains(text.dropFirst(4)))
    }

    @Test(arguments: [
        "", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "swk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "whsec_", "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8A",
        "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh==",
        "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdH_8=",
    ])
    func `has no other text`(text: String) {
        #expect(WebhookKey.secret(text) == nil)
    }

    @Test func `is read from its text`() {
        let text = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        #expect(WebhookKey.secret(text)?.reveal() == Array(UInt8(0)..<32))
    }
}
