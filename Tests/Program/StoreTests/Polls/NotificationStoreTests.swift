import Checkout
import EventIO
import Merchant
import MerchantOrders
import Postgres
import PostgresTestKit
import Primitives
import SessionBroker
import Testing

@Suite("The inbox of notifications")
struct NotificationStoreTests {
    private typealias Message = PostgresNotificationStore.Message

    private static let permission = "S03-0000000-0000001"
    private static let charge = "S03-0000000-0000001-C1"
    private static let refund = "S03-0000000-0000001-R1"

    @Test func `takes each message once, and has its object read`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid(Self.permission)
            let message = Message(id: "m1", kind: "CHARGE", object: Self.charge, permission: nil)
            #expect(try await rig.notices.receive(message) == .taken)
            for _ in 0..<3 { #expect(try await rig.notices.receive(message) == .duplicate) }
            let rows = try rig.admin.rows(
                "SELECT webview_session_id, kind, object_id, outcome, deliveries FROM notification"
            )
            #expect(rows == [[crossing.webviewSession.description, "CHARGE", Self.charge, "taken", "4"]])
            #expect(try rig.pauses()[Self.charge] == 0)
        }
    }

    @Test func `takes a message once that many bring at a time`() async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            let message = Message(id: "m1", kind: "CHARGE", object: Self.charge, permission: nil)
            var receipts: [PostgresNotificationStore.Receipt] = []
            let deliveries = (0..<32).map { _ in
                rig.reactor.startTask {
                    if let receipt = try? await rig.notices.receive(message) { receipts.append(receipt) }
                }
            }
            for delivery in deliveries { await delivery.value }
            #expect(receipts.count == 32)
            #expect(receipts.filter { $0 == .taken }.count == 1)
        }
    }

    @Test func `knows an object by its permission where it has never seen it`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid(Self.permission)
            let message = Message(id: "m1", kind: "REFUND", object: Self.refund, permission: Self.permission)
            #expect(try await rig.notices.receive(message) == .taken)
            #expect(try rig.pauses()[Self.refund] == 0)
            #expect(
                try rig.admin.rows("SELECT webview_session_id FROM notification") == [
                    [crossing.webviewSession.description]
                ]
            )
        }
    }

    @Test func `writes down what no order knows, and reads nothing for it`() async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            let other = Message(id: "m1", kind: "CHARGE", object: "S03-9-9-C1", permission: "S03-9-9")
            #expect(try await rig.notices.receive(other) == .unknown)
            #expect(try await rig.notices.receive(other) == .duplicate)
            #expect(
                try await rig.notices.receive(
                    Message(id: "m2", kind: "OrderReferenceNotification", object: "", permission: nil)
                ) == .unknown
            )
            #expect(try rig.pauses().count == 2)
        }
    }

    @Test func `takes in what came while its purchase was written down, and has it read once`() async throws {
        try await withRig { rig in
            // The purchase has looked for messages, and is not on disk yet.
            try rig.sql(
                """
                CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
                CREATE TRIGGER payment_object_zone AFTER INSERT ON payment_object FOR EACH ROW
                    WHEN (NEW.kind = 'charge') EXECUTE FUNCTION hold()
                """
            )
            let holder = try rig.another()
            try holder.run("SELECT pg_advisory_lock(1)")
            var crossing: Crossing?
            let purchase = rig.reactor.startTask { crossing = try? await rig.paid(Self.permission) }
            try await rig.untilSomebodyIsHeld()
            let told = [("m1", "CHARGE_PERMISSION", Self.permission), ("m2", "CHARGE", Self.charge)]
            for (id, kind, object) in told {
                let message = Message(id: id, kind: kind, object: object, permission: Self.permission)
                #expect(try await rig.notices.receive(message) == .unknown)
            }
            #expect(try await rig.notices.overtaken(limit: 10).isEmpty, "it may be anybody's")
            try holder.run("SELECT pg_advisory_unlock(1)")
            await purchase.value
            let order = try #require(crossing).webviewSession.description
            #expect(try rig.pauses().values.allSatisfy { $0 > 0 }, "nobody has seen them")
            #expect(try await rig.notices.overtaken(limit: 1) == ["m1"])
            #expect(try await rig.notices.overtaken(limit: 10) == ["m1", "m2"])
            for id in ["m1", "m2"] {
                #expect(try await rig.notices.take(id))
                #expect(try await !rig.notices.take(id))
            }
            #expect(try rig.pauses() == [Self.permission: 0, Self.charge: 0])
            #expect(try await rig.notices.overtaken(limit: 10).isEmpty)
            let rows = try rig.admin.rows("SELECT outcome, webview_session_id FROM notification")
            #expect(rows == [["taken", order], ["taken", order]])
        }
    }

    @Test func `reads nothing that was read since its message came`() async throws {
        try await withRig { rig in
            let early = Message(id: "m1", kind: "CHARGE", object: Self.charge, permission: Self.permission)
            #expect(try await rig.notices.receive(early) == .unknown)
            _ = try await rig.paid(Self.permission)
            _ = try await rig.orders.observe(rig.charge(Self.charge, .authorized, at: 10))
            try rig.sql("UPDATE payment_poll SET next_at = now() + interval '1 hour', notified = false")
            #expect(try await rig.notices.overtaken(limit: 10) == ["m1"])
            #expect(try await !rig.notices.take("m1"))
            #expect(try rig.pauses()[Self.charge] == 3_600)
            #expect(try await rig.notices.overtaken(limit: 10).isEmpty)
        }
    }

    @Test func `follows a message that nobody knows while a purchase waits, once`() async throws {
        try await withRig { rig in
            let (waiting, _) = try await rig.purchasing()
            try rig.pass(waiting, seconds: 46)
            let pause = Duration.seconds(3_600)
            _ = try #require(try await rig.broker.takeOver(waiting.webviewSession, pause: pause, by: rig.caller()))
            for (id, object) in [("m1", "S03-0000000-0000009-C1"), ("m2", Self.charge)] {
                let message = Message(id: id, kind: "CHARGE", object: object, permission: nil)
                #expect(try await rig.notices.receive(message) == .unknown)
            }
            // Its message was faster than whoever wrote the purchase down: it is no stranger's.
            _ = try await rig.paid(Self.permission)
            func unmatched() async throws -> [String] { try await rig.notices.unmatched(limit: 1).map(\.permission) }
            let permission = "S03-0000000-0000009"
            #expect(try await unmatched() == [permission])
            // Without an answer it is followed again, for a day.
            try await rig.notices.noteFollowed(permission, isAnswered: false)
            #expect(try await unmatched() == [permission])
            try await rig.notices.noteFollowed(permission, isAnswered: true)
            #expect(try await unmatched().isEmpty)
            try rig.sql(
                "UPDATE notification SET asked = false, received_at = received_at - interval '25 hours' WHERE message_id = 'm1'"
            )
            #expect(try await unmatched() == [permission])
            try await rig.notices.noteFollowed(permission, isAnswered: false)
            #expect(try await unmatched().isEmpty)
        }
    }

    @Test func `wakes a purchase that waits for its next look, and no other`() async throws {
        try await withRig { rig in
            let (crossing, _) = try await rig.purchasing()
            #expect(try await !rig.notices.wakePurchase(of: crossing.webviewSession), "it is looked at anyway")
            try rig.pass(crossing, seconds: 46)
            let pause = Duration.seconds(3_600)
            let attempt = try #require(
                try await rig.broker.takeOver(crossing.webviewSession, pause: pause, by: rig.caller())
            )
            #expect(try await rig.notices.wakePurchase(of: crossing.webviewSession))
            #expect(try await !rig.notices.wakePurchase(of: crossing.webviewSession), "it is awake")
            #expect(try await rig.broker.giveUp(attempt, reason: "time", by: rig.caller()))
            try rig.sql("UPDATE webview_session_purchase SET next_at = now() + interval '1 hour'")
            #expect(try await !rig.notices.wakePurchase(of: crossing.webviewSession), "a person looks at it")
        }
    }

    @Test func `tells of a chargeback, once, and has permission and charges read`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid(Self.permission)
            let message = Message(id: "m1", kind: "CHARGEBACK", object: "B1", permission: Self.permission)
            #expect(try await rig.notices.receive(message) == .taken)
            #expect(try await rig.notices.receive(message) == .duplicate)
            let types = try rig.events(crossing).map { $0.split(separator: " ")[1] }
            #expect(types == ["session.paid", "charge.authorized", "chargeback.received"])
            #expect(try rig.pauses() == [Self.permission: 0, Self.charge: 0])
        }
    }

    @Test func `tells of a chargeback once, however many messages come about it`() async throws {
        try await withRig { rig in
            let crossing = try await rig.paid(Self.permission)
            for (message, object) in [("m1", "B1"), ("m2", "B1"), ("m3", "B2"), ("m4", "B1")] {
                try rig.sql("UPDATE payment_poll SET notified = false, next_at = now() + interval '1 day'")
                let chargeback = Message(id: message, kind: "CHARGEBACK", object: object, permission: Self.permission)
                #expect(try await rig.notices.receive(chargeback) == .taken)
                // Something is new about it whenever a message comes.
                #expect(try rig.pauses() == [Self.permission: 0, Self.charge: 0])
            }
            let told = try rig.admin.rows(
                """
                SELECT data -> 'about' ->> 'id' FROM event
                WHERE subject_id = $1 AND type = 'chargeback.received' ORDER BY sequence
                """,
                [crossing.webviewSession.description]
            )
            #expect(told == [["B1"], ["B2"]])
        }
    }

    @Test func `tells of a chargeback whose first message came before its order was known`() async throws {
        try await withRig { rig in
            let early = Message(id: "m1", kind: "CHARGEBACK", object: "B1", permission: Self.permission)
            #expect(try await rig.notices.receive(early) == .unknown)
            let crossing = try await rig.paid(Self.permission)
            let late = Message(id: "m2", kind: "CHARGEBACK", object: "B1", permission: Self.permission)
            #expect(try await rig.notices.receive(late) == .taken)
            #expect(try rig.events(crossing).count == 3)
        }
    }

    @Test func `lets no buyer wait for what a message waits for`() async throws {
        try await withRig { rig in
            _ = try await rig.paid(Self.permission)
            try rig.sql("BEGIN; SELECT FROM payment_poll WHERE object_id = '\(Self.charge)' FOR UPDATE")
            var receipt: PostgresNotificationStore.Receipt?
            var isOver = false
            let delivery = rig.reactor.startTask {
                receipt = try? await rig.notices.receive(
                    Message(id: "m1", kind: "CHARGE", object: Self.charge, permission: nil)
                )
                isOver = true
            }
            try await rig.untilSomebodyWaits()
            _ = try await rig.issued()
            #expect(!isOver)
            try rig.sql("ROLLBACK")
            await delivery.value
            #expect(receipt == .taken)
        }
    }

    @Test func `forgets after thirty days`() async throws {
        try await withRig { rig in
            for number in 0..<5 {
                _ = try await rig.notices.receive(Message(id: "m\(number)", kind: "X", object: "", permission: nil))
            }
            try rig.sql(
                "UPDATE notification SET received_at = received_at - interval '31 days' WHERE message_id < 'm3'"
            )
            #expect(try await rig.notices.prune() == 3)
            #expect(try await rig.notices.prune() == 0)
            #expect(try rig.admin.rows("SELECT count(*) FROM notification") == [["2"]])
        }
    }
}
