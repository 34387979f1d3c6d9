import Notifications
import Testing

@Suite("A refusal of a pushed message")
struct NotificationRefusalTests {
    @Test(
        arguments: [
            (.malformed("no Type"), 400, "malformed"), (.stale, 403, "stale"), (.foreign(.topic), 403, "topic"),
            (.foreign(.signature), 403, "signature"), (.certificateUnavailable, 503, "certificate_unavailable"),
        ] as [(NotificationRefusal, Int, String)]
    )
    func `has a status and a word`(refusal: NotificationRefusal, status: Int, outcome: String) {
        #expect(refusal.status == status)
        #expect(refusal.outcome == outcome)
    }

    @Test func `asks for another try only where one can help`() {
        for why in NotificationRefusal.Why.allCases { #expect(NotificationRefusal.foreign(why).status == 403) }
    }

    @Test func `does not print what the sender wrote`() {
        #expect("\(NotificationRefusal.malformed("x"))" == "notifications.malformed")
    }
}
