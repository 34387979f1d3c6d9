import EventIO
import HTTPCore
import IntegrationKit
import Primitives
import Program
import StrictJSON
import TestKit
import Testing

/// Messages of the simulator's sender, over the wire, to the broker's own route.
@Suite struct `A notification` {
    private var options: ShopOptions {
        var options = ShopOptions()
        options.jobPause = .milliseconds(2)
        options.takesNotifications = true
        return options
    }

    /// Reads of an object at the provider so far.
    private func reads(_ shop: Shop, _ operation: String = "GetCharge") async throws -> Int {
        try await shop.control.calls(operation).count
    }

    private func outcomes(_ shop: Shop, of object: String) throws -> [[String?]] {
        try shop.rows(
            "SELECT outcome, deliveries FROM notification WHERE object_id = $1 ORDER BY received_at",
            [object]
        )
    }

    /// A purchase that was paid, whose own messages have come and have been followed: also those that came while it was written down.
    private func settled(_ shop: Shop) async throws -> (webviewSession: String, charge: String, permission: String) {
        let paid = try await shop.paid()
        try await shop.wait(for: "its own messages") {
            let answered = try await shop.control.deliveries().count
            let told = try shop.rows("SELECT object_id FROM notification").compactMap { $0[0] }
            return Set(told).isSuperset(of: [paid.charge, paid.permission]) && told.count == answered
        }
        try await shop.wait(for: "those that were overtaken") {
            try shop.rows("SELECT 1 FROM notification WHERE outcome <> 'taken'").isEmpty
        }
        try await quiet(shop)
        return paid
    }

    /// Comes back when nothing is left to be read.
    private func quiet(_ shop: Shop) async throws {
        try await shop.wait(for: "quiet") {
            try shop.rows("SELECT 1 FROM payment_poll WHERE notified OR lease_until IS NOT NULL").isEmpty
        }
    }

    @Test func `has the object read, and the ledger follows what was read`() async throws {
        try await withShop(options) { shop in
            let paid = try await shop.paid()
            try await shop.wait(for: "the charge's own message") {
                try shop.rows("SELECT 1 FROM notification WHERE object_id = $1", [paid.charge]).count > 0
            }
            #expect(try shop.ledger(paid.charge) == "Authorized")
            try await shop.control.force("charges/" + paid.charge, "Canceled", "ExpiredUnused")
            try await shop.wait(for: "the cancellation") { try shop.ledger(paid.charge) == "Canceled" }
            #expect(
                try shop.value("SELECT state FROM merchant_order WHERE webview_session_id = $1", [paid.webviewSession])
                    == "expired"
            )
            try await shop.wait(for: "the end of the questions") {
                try shop.rows("SELECT 1 FROM payment_poll WHERE object_id = $1", [paid.charge]).isEmpty
            }
            let events = try shop.rows(
                "SELECT type FROM event WHERE subject_id = $1 ORDER BY sequence",
                [paid.webviewSession]
            )
            #expect(events.last == ["charge.canceled"])
        }
    }

    @Test func `that comes several times is one`() async throws {
        try await withShop(options) { shop in
            let paid = try await settled(shop)
            try shop.rows("DELETE FROM notification")
            let before = try await reads(shop)
            try await shop.control.post("ipn", ["objectId": .string(paid.charge), "duplicates": 2])
            try await shop.wait(for: "three deliveries") {
                try outcomes(shop, of: paid.charge) == [["taken", "3"]]
            }
            // A reading that a message begins is no round's.
            try await shop.wait(for: "the reading") { try await reads(shop) > before }
            try await quiet(shop)
            for _ in 0..<5 { await shop.broker.nextJobRuns() }
            #expect(try await reads(shop) == before + 1)
            #expect(try await shop.control.deliveries().allSatisfy { $0 == 200 })
        }
    }

    @Test func `that is overtaken by a later one changes nothing back`() async throws {
        try await withShop(options) { shop in
            let paid = try await shop.paid()
            try await shop.control.post("ipn/pause", [:])
            try await shop.control.force("charges/" + paid.charge, "CaptureInitiated")
            try await shop.control.force("charges/" + paid.charge, "Captured")
            try await shop.control.post("ipn/shuffle", [:])
            try await shop.control.post("ipn/resume", [:])
            try await shop.wait(for: "the capture") { try shop.ledger(paid.charge) == "Captured" }
            try await shop.control.post("ipn", ["objectId": .string(paid.charge)])
            try await quiet(shop)
            #expect(try shop.ledger(paid.charge) == "Captured")
            #expect(
                try shop.value("SELECT state FROM merchant_order WHERE webview_session_id = $1", [paid.webviewSession])
                    == "captured"
            )
        }
    }

    @Test func `about an object that no order has is answered 200, written down, and read never`() async throws {
        try await withShop(options) { shop in
            let stranger = "S03-1234567-1234567-C123456"
            try await shop.control.post("ipn", ["objectId": .string(stranger), "objectType": "CHARGE"])
            try await shop.wait(for: "the message") { try outcomes(shop, of: stranger) == [["unknown", "1"]] }
            for _ in 0..<5 { await shop.broker.nextJobRuns() }
            #expect(try await reads(shop) == 0)
            try await shop.wait(for: "the answer") { try await shop.control.deliveries() == [200] }
        }
    }

    @Test func `of a chargeback is told to the merchant, and what it is about is read`() async throws {
        try await withShop(options) { shop in
            let paid = try await settled(shop)
            let before = (try await reads(shop), try await reads(shop, "GetChargePermission"))
            let id = paid.permission + "-B123456"
            try await shop.control.post("ipn", ["objectId": .string(id), "objectType": "CHARGEBACK"])
            try await shop.wait(for: "both readings") {
                let now = (try await reads(shop), try await reads(shop, "GetChargePermission"))
                return now.0 == before.0 + 1 && now.1 == before.1 + 1
            }
            let events = try shop.rows(
                "SELECT type FROM event WHERE subject_id = $1 ORDER BY sequence",
                [paid.webviewSession]
            )
            #expect(events.last == ["chargeback.received"])
        }
    }

    @Test func `of a chargeback that no order has calls a person`() async throws {
        let log = CapturedLog()
        var options = options
        options.logger = log.logger()
        try await withShop(options) { shop in
            let stranger = "S03-1234567-1234567-B123456"
            try await shop.control.post("ipn", ["objectId": .string(stranger), "objectType": "CHARGEBACK"])
            try await shop.wait(for: "the message") { try outcomes(shop, of: stranger) == [["unknown", "1"]] }
            try await shop.wait(for: "the line") { !log.lines(with: "notification.chargeback_unknown").isEmpty }
            let line = try #require(log.lines(with: "notification.chargeback_unknown").first)
            #expect(line.contains("error") && line.contains(stranger), "\(line)")
        }
    }

    @Test(
        arguments: ["message", "signature", "topic", "certUrl", "version", "expiredCert", "wrongName", "unrelatedRoot"]
    )
    func `that is wrong is refused and leaves no trace`(corruption: String) async throws {
        try await withShop(options) { shop in
            let stranger = "S03-1234567-1234567-C123456"
            try await shop.control.post(
                "ipn",
                ["objectId": .string(stranger), "objectType": "CHARGE", "corrupt": .string(corruption)]
            )
            try await shop.wait(for: "an answer") { try await !shop.control.deliveries().isEmpty }
            let status = try #require(try await shop.control.deliveries().first)
            #expect(status == 403 || status == 400, "\(status)")
            #expect(try outcomes(shop, of: stranger).isEmpty)
        }
    }

    @Test func `makes an address have few certificates fetched, and is believed there as ever`() async throws {
        let log = CapturedLog()
        var options = options
        options.logger = log.logger()
        try await withShop(options) { shop in
            // The sender's own certificate is one of five in a minute; both come from this machine.
            _ = try await settled(shop)
            let time = CalendarDate(SystemClock().now()).extendedText
            for number in 0..<8 {
                let message: JSONValue = [
                    "Type": "Notification", "MessageId": .string("made-up-\(number)"),
                    "TopicArn": .string(ShopOptions.topic), "Message": "{}", "SignatureVersion": "1",
                    "Signature": "AAAA", "Timestamp": .string(time),
                    "SigningCertURL": .string(shop.simulator.url + "/Other-\(number).pem"),
                ]
                let sender = shop.browser()
                let answer = try await sender.request("POST", "/ipn/amazon-pay", fields: [], body: message.bytes)
                #expect(answer.status == 503)
            }
            // One more comes back every twelve seconds.
            #expect((4..<8).contains(log.lines(with: "notification.no_certificate").count))
            let stranger = "S03-1234567-1234567-B123456"
            try await shop.control.post("ipn", ["objectId": .string(stranger), "objectType": "CHARGEBACK"])
            try await shop.wait(for: "the message") { try outcomes(shop, of: stranger) == [["unknown", "1"]] }
        }
    }

    @Test func `that cannot be written down is asked for again`() async throws {
        try await withShop(options) { shop in
            let paid = try await settled(shop)
            try shop.rows("DELETE FROM notification")
            let before = try await shop.control.deliveries().count
            try shop.takeDatabaseAway()
            try await shop.control.post("ipn", ["objectId": .string(paid.charge)])
            try await shop.wait(for: "an answer") { try await shop.control.deliveries().count > before }
            try shop.bringDatabaseBack()
            #expect(try await shop.control.deliveries().last == 503)
            // One hour later it comes again.
            try await shop.wait(for: "the second delivery") {
                try await shop.control.advanceClock(by: "PT61M")
                return try await shop.control.deliveries().last == 200
            }
            #expect(try outcomes(shop, of: paid.charge).first?.first == "taken")
        }
    }

    @Test func `that was faster than the purchase is not lost`() async throws {
        try await withShop(options) { shop in
            let paid = try await settled(shop)
            // As if the purchase had not been written down yet.
            try shop.rows("CREATE TABLE aside AS SELECT * FROM payment_object")
            try shop.rows("DELETE FROM payment_object")
            try shop.rows("DELETE FROM payment_poll")
            try shop.rows("DELETE FROM notification")
            try await shop.control.force("charges/" + paid.charge, "Canceled", "ExpiredUnused")
            try await shop.wait(for: "the message") {
                try outcomes(shop, of: paid.charge).first?.first == "unknown"
            }
            try shop.rows("INSERT INTO payment_object OVERRIDING SYSTEM VALUE SELECT * FROM aside")
            try await shop.wait(for: "the cancellation") { try shop.ledger(paid.charge) == "Canceled" }
        }
    }

    @Test func `finds nobody where no topic is set`() async throws {
        try await withShop { shop in
            let answer = try await shop.browser().request("POST", "/ipn/amazon-pay", fields: [], body: Array("{}".utf8))
            #expect(answer.status == 404)
        }
    }

    @Test func `may have 16 KB, and anything that is no message is refused`() async throws {
        try await withShop(options) { shop in
            let large = Array(repeating: UInt8(ascii: " "), count: 16_384)
            let answer = try await shop.browser().request("POST", "/ipn/amazon-pay", fields: [], body: large)
            #expect(answer.status == 400)
            #expect(answer.text.isEmpty)
            let huge = Array(repeating: UInt8(ascii: " "), count: 16_385)
            #expect(try await shop.browser().request("POST", "/ipn/amazon-pay", fields: [], body: huge).status == 413)
            let metrics = try await ClientLoop.shared.send(OutboundRequest(method: "GET", url: shop.admin + "/metrics"))
            let text = String(decoding: metrics.body, as: UTF8.self)
            #expect(text.contains("sallyport_notifications_total{outcome=\"malformed\"} 1"))
        }
    }

    @Test(arguments: [false, true])
    func `that wants our address to subscribe is granted where the settings say so`(isAllowed: Bool) async throws {
        var options = options
        options.settings["notifications.confirm_subscriptions"] = "\(isAllowed)"
        try await withShop(options) { shop in
            try await shop.control.post("ipn", ["type": "SubscriptionConfirmation"])
            try await shop.wait(for: "an answer") { try await !shop.control.deliveries().isEmpty }
            #expect(try await shop.control.deliveries() == [200])
        }
    }
}
