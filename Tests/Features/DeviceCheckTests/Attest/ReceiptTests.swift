import AppleSimulator
import Cryptography
import DeviceAttestation
import EventIO
import HTTPCore
import Postgres
import PostgresTestKit
import Primitives
import ServerCore
import StrictJSON
import TestKit
import Testing

@testable import DeviceCheck

@Suite("Receipts of attested keys")
struct ReceiptTests {
    @Test func `are exchanged once a key is there, and again when their time has come`() async throws {
        try await withReceipts { shop in
            let phone = try await shop.phone()
            try await shop.renew()
            #expect(try shop.count("risk_metric = 1 AND receipt_due_at > now() + interval '23 hours'") == "1")
            try await shop.renew()
            #expect(shop.exchange.requests.count == 1, "not before a day has passed")
            try await shop.control(phone.path + "/risk", ["metric": 7])
            try await shop.renew(later: "P1D")
            #expect(try shop.count("risk_metric = 7") == "1")
            let shown = shop.exchange.requests.map(\.body)
            #expect(shown.count == 2 && shown[0] != shown[1], "the newer receipt is shown")
            let fields = shop.exchange.requests.flatMap(\.fields).filter { $0.0 == "Authorization" }
            #expect(fields.count == 2 && fields.allSatisfy { !$0.1.contains(" ") }, "no word in front of the token")
        }
    }

    @Test func `say how many keys a device has, to the person, in the history and as an event`() async throws {
        try await withReceipts { shop in
            let phone = try await shop.phone()
            try await shop.renew()
            let events = "SELECT count(*) FROM event WHERE type = 'device_check.device.risk_raised'"
            #expect(try shop.devices.value(events) == "0", "a device has one key at first")
            _ = try await phone.attest()
            try await shop.renew(later: "P1D")
            #expect(try shop.count("risk_metric = 2") == "2")
            // Both keys have it: one for which it has grown, and one that has it from the beginning.
            #expect(try shop.devices.value(events) == "2")
            let rows = "SELECT count(*) FROM device_history WHERE kind = 'risk' AND outcome ="
            #expect(try shop.devices.value("\(rows) 'noted'") == "1")
            #expect(try shop.devices.value("\(rows) 'raised'") == "2")
            let before = "SELECT detail ->> 'before' FROM device_history WHERE outcome = 'raised' ORDER BY 1 LIMIT 1"
            #expect(try shop.devices.value(before) == "1")
            let exported = "SELECT app_attest_export('\(phone.client.account)') -> 0 ->> 'riskMetric'"
            #expect(try shop.devices.value(exported) == "2")
        }
    }

    @Test(arguments: ReceiptFlaw.allCases)
    func `that have a flaw are kept out`(flaw: ReceiptFlaw) async throws {
        try await withReceipts { shop in
            _ = try await shop.phone()
            let before = try shop.devices.value("SELECT encode(receipt, 'hex') FROM app_attest_key")
            try await shop.fault(["reasonCode": .string(flaw.rawValue)])
            try await shop.renew()
            #expect(try shop.count("risk_metric IS NULL AND receipt_due_at > now() + interval '23 hours'") == "1")
            #expect(try shop.devices.value("SELECT encode(receipt, 'hex') FROM app_attest_key") == before)
            // The one before is as good as ever.
            try await shop.renew(later: "P1D")
            #expect(try shop.count("risk_metric = 1") == "1")
        }
    }

    @Test func `of an attestation in the place of a newer one are kept out`() async throws {
        try await withReceipts { shop in
            _ = try await shop.phone()
            let stored = "SELECT encode(receipt, 'base64') FROM app_attest_key"
            let first = try #require(try shop.devices.value(stored))
            try await shop.renew()
            let newer = try shop.devices.value(stored)
            #expect(newer != first)
            // As good as ever, but for what it is of.
            shop.exchange.next = InboundResponse(status: 200, body: Array(first.replacing("\n", with: "").utf8))
            try shop.devices.admin.run(ReceiptShop.due)
            try await shop.renew()
            #expect(try shop.devices.value(stored) == newer)
            #expect(try shop.count("risk_metric = 1 AND receipt_due_at > now()") == "1")
        }
    }

    static let later: [(JSONValue, String)] = [
        (["reasonCode": "tooEarly"], "23 hours"), (["reasonCode": "noData"], "6 days"),
        (["reasonCode": "badReceipt"], "23 hours"), (["status": 403], "10 minutes"), (["status": 429], "10 minutes"),
        (["status": 429, "retryAfter": "7200"], "110 minutes"), (["status": 503], "10 minutes"),
        (["reasonCode": "empty"], "10 minutes"), (["htmlBody": true, "status": 200], "10 minutes"),
        (["resetBefore": true], "10 minutes"),
    ]

    @Test(arguments: later)
    func `wait where none is given`(action: JSONValue, pause: String) async throws {
        try await withReceipts { shop in
            _ = try await shop.phone()
            try await shop.fault(action)
            try await shop.renew()
            #expect(try shop.count("risk_metric IS NULL AND receipt_due_at > now() + interval '\(pause)'") == "1")
            let most = pause == "23 hours" ? "25 hours" : pause == "6 days" ? "8 days" : "130 minutes"
            #expect(try shop.count("receipt_due_at < now() + interval '\(most)'") == "1")
        }
    }

    @Test func `are asked for once more with a new token, and not for other keys where none is taken`() async throws {
        try await withReceipts { shop in
            for _ in 0..<3 { _ = try await shop.phone() }
            try await shop.fault(["status": 401])
            try await shop.renew()
            #expect(try shop.count("risk_metric = 1") == "3")
            #expect(shop.exchange.requests.count == 4)
            try await shop.fault(["status": 401], times: 9)
            try await shop.renew(later: "P1D")
            #expect(shop.exchange.requests.count == 6, "the first key shows what is wrong with ours")
            #expect(try shop.count("receipt_due_at > now() + interval '10 minutes'") == "3")
            #expect(try shop.count("receipt_due_at < now() + interval '1 hour'") == "3")
            // Nothing is asked as long as calls are kept back.
            try shop.devices.admin.run(ReceiptShop.due)
            try await shop.renew()
            #expect(shop.exchange.requests.count == 6)
        }
    }

    @Test func `are one process's to ask for, as long as its lease lasts`() async throws {
        try await withReceipts { shop in
            _ = try await shop.phone()
            let database = shop.devices.part.loop.database
            let take = ReceiptStatement.take("production", 20, .seconds(900))
            let first = try #require(try await database.work(take).all().first)
            #expect(try await database.work(take).all().isEmpty)
            #expect(try await database.work(ReceiptStatement.take("development", 20, .seconds(900))).all().isEmpty)
            // The lease is over, and somebody else has the key.
            try shop.devices.admin.run(ReceiptShop.due)
            let second = try #require(try await database.work(take).all().first)
            let late = ReceiptStatement.end(first.keyID, first.asked, [1], 9, nil, .seconds(1))
            #expect(try await database.work(late).first() == false)
            #expect(try shop.count("risk_metric IS NULL AND length(receipt) > 1") == "1")
            let good = ReceiptStatement.end(second.keyID, second.asked, nil, 3, nil, .seconds(1))
            #expect(try await database.work(good).first() == true)
            #expect(try shop.count("risk_metric = 3 AND length(receipt) > 1") == "1")
        }
    }

    @Test func `are not asked for where that is switched off, or Apple is not asked at all`() async throws {
        for settings in [
            ["app_attest.receipts": "false"], ["device_check.private_key": ""], ["app_attest.bundle_ids": ""],
        ] {
            let usual = ["app_attest.bundle_ids": "com.example.sallyport"]
            try await withDevices(usual.merging(settings) { $1 }) { #expect($0.part.receipts == nil) }
        }
        try await withDevices(["app_attest.bundle_ids": "com.example.sallyport"]) { #expect($0.part.receipts != nil) }
    }
}
