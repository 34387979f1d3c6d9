import AppStoreTransactions
import HTTPCore
import Primitives
import StrictJSON
import TestKit
import Testing

@Suite("A request to the server API")
struct ServerAPIRequestTests {
    @Test func `escapes what stands in its path and query`() throws {
        #expect(
            try ServerAPIRequest.transactionInfo("20/a b?é").target == "/inApps/v1/transactions/20%2Fa%20b%3F%C3%A9"
        )
        let history = try ServerAPIRequest.transactionHistory("1", revision: "a+b/=&")
        #expect(history.target == "/inApps/v2/history/1?revision=a%2Bb%2F%3D%26")
        #expect(history.method == "GET" && history.body.isEmpty)
    }

    @Test(arguments: ["", ".", "..", "...", "a\n", "a\u{0}", String(repeating: "1", count: 257)])
    func `is not made with a part that would be another path`(id: String) {
        let makers: [(String) throws -> ServerAPIRequest] = [
            { try .transactionInfo($0) }, { try .transactionHistory($0) }, { try .refundHistory($0) },
            { try .orderLookup($0) }, { try .finishTransaction($0) }, { try .appTransactionInfo($0) },
            { try .subscriptionStatuses($0) }, { try .testNotificationStatus($0) },
            { try .appAccountToken(of: $0, UUIDBytes(high: 1, low: 1)) },
        ]
        for make in makers { #expect(throws: ServerAPIRequestError.badPart("identifier")) { try make(id) } }
    }

    @Test func `has method, path and body of its call`() throws {
        let token = try #require(UUIDBytes("5B0C0B7E-3F1D-4A9A-9A51-2F6C9D1E7A01"))
        let information = try ConsumptionInformation(
            of: .consumable,
            isConsented: true,
            isSampleProvided: false,
            delivery: .delivered,
            percentage: 50_000,
            preference: .grantProrated
        )
        let rows: [(ServerAPIRequest, String, String, String)] = [
            (
                try .appAccountToken(of: "1", token), "PUT", "/inApps/v1/transactions/1/appAccountToken",
                #"{"appAccountToken":"5b0c0b7e-3f1d-4a9a-9a51-2f6c9d1e7a01"}"#
            ),
            (
                try .consumption(of: "1", information), "PUT", "/inApps/v2/transactions/consumption/1",
                #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","consumptionPercentage":50000,"refundPreference":"GRANT_PRORATED"}"#
            ),
            (try .finishTransaction("1"), "POST", "/inApps/v1/transactions/1/finish", ""),
            (try .refundHistory("1"), "GET", "/inApps/v2/refund/lookup/1", ""),
            (try .orderLookup("M1"), "GET", "/inApps/v1/lookup/M1", ""),
            (try .appTransactionInfo("1"), "GET", "/inApps/v1/transactions/appTransactions/1", ""),
            (
                try .subscriptionStatuses("1", statuses: [1, 4]), "GET", "/inApps/v1/subscriptions/1?status=1&status=4",
                ""
            ),
            (.testNotification, "POST", "/inApps/v1/notifications/test", ""),
            (try .testNotificationStatus("a_1"), "GET", "/inApps/v1/notifications/test/a_1", ""),
        ]
        for (request, method, target, body) in rows {
            #expect(request.method == method && request.target == target)
            #expect(String(decoding: request.body, as: UTF8.self) == body)
        }
    }

    @Test func `is made so often a second, and a success has the status of its call`() {
        let limits = ServerAPICall.allCases.map(\.callsPerSecond)
        #expect(limits.max() == 50 && limits.min() == 1 && ServerAPICall.refundHistory.callsPerSecond == 10)
        #expect(ServerAPICall.appAccountToken.callsPerSecond == 20)
        #expect(ServerAPICall.allCases.filter { $0.success == 202 } == [.consumptionInformation])
    }

    @Test func `of a history has its filter on every page`() throws {
        var filter = HistoryFilter()
        filter.start = WallTime(microseconds: 1_749_978_000_000_999)
        filter.end = WallTime(seconds: 1_749_979_000)
        filter.productIDs = ["a", "b c"]
        filter.productTypes = [.consumable]
        filter.subscriptionGroupIDs = ["g"]
        filter.ownership = .purchased
        filter.isDescending = true
        filter.isRevoked = false
        let query =
            "startDate=1749978000000&endDate=1749979000000&productId=a&productId=b%20c&productType=CONSUMABLE"
            + "&subscriptionGroupIdentifier=g&inAppOwnershipType=PURCHASED&sort=DESCENDING&revoked=false"
        #expect(try ServerAPIRequest.transactionHistory("1", filter: filter).target == "/inApps/v2/history/1?\(query)")
        let next = try ServerAPIRequest.transactionHistory("1", filter: filter, revision: "r")
        #expect(next.target == "/inApps/v2/history/1?revision=r&\(query)")
    }

    @Test func `of notifications has the same body on every page`() throws {
        let (start, end) = (WallTime(seconds: 1_749_978_000), WallTime(seconds: 1_749_979_000))
        let filter = try NotificationFilter(from: start, to: end, .type(.refund, subtype: nil), onlyFailures: true)
        let body =
            #"{"startDate":1749978000000,"endDate":1749979000000,"notificationType":"REFUND","onlyFailures":true}"#
        for page in [nil, "t/1"] {
            let request = ServerAPIRequest.notificationHistory(filter, page: page)
            #expect(String(decoding: request.body, as: UTF8.self) == body && request.method == "POST")
            let query = page == nil ? "" : "?paginationToken=t%2F1"
            #expect(request.target == "/inApps/v1/notifications/history" + query)
        }
        let one = try ServerAPIRequest.notificationHistory(NotificationFilter(from: start, to: end, .transaction("7")))
        #expect(String(decoding: one.body, as: UTF8.self).contains(#""transactionId":"7""#))
        #expect(throws: ServerAPIRequestError.self) { try NotificationFilter(from: end, to: start) }
        #expect(NotificationFilter.oldest(in: .sandbox) == .seconds(30 * 86_400))
    }
}

@Suite("Consumption information")
struct ConsumptionTests {
    private func fault(
        of type: TransactionType = .consumable,
        isConsented: Bool = true,
        _ delivery: ConsumptionInformation.Delivery,
        _ percentage: Int?,
        _ preference: ConsumptionInformation.Preference?
    ) -> ConsumptionInformation.Fault? {
        do throws(ConsumptionInformation.Fault) {
            _ = try ConsumptionInformation(
                of: type,
                isConsented: isConsented,
                isSampleProvided: true,
                delivery: delivery,
                percentage: percentage,
                preference: preference
            )
            return nil
        } catch { return error }
    }

    @Test func `keeps the rules`() {
        #expect(fault(.delivered, 0, .grantFull) == nil && fault(.delivered, 100_000, .decline) == nil)
        #expect(fault(.delivered, nil, nil) == nil && fault(.serverOutage, 0, .grantFull) == nil)
        #expect(fault(isConsented: false, .delivered, nil, nil) == .noConsent)
        #expect(fault(.delivered, -1, nil) == .percentage && fault(.delivered, 100_001, nil) == .percentage)
        #expect(fault(.wrongItem, 1, nil) == .undeliveredButUsed)
        for percentage in [nil, 0, 100_000] {
            #expect(fault(.delivered, percentage, .grantProrated) == .proratedWithoutPart)
        }
        #expect(fault(.delivered, 1, .grantProrated) == nil && fault(.delivered, 99_999, .grantProrated) == nil)
        #expect(fault(of: .autoRenewable, .delivered, 5, nil) == .percentageOfSubscription)
        #expect(fault(of: .autoRenewable, .delivered, nil, .grantProrated) == nil)
    }

    @Test func `has the part that was spent, rounded down`() {
        let rows: [(Int64, Int64, Int)] = [
            (0, 10, 0), (1, 3, 33_333), (2, 3, 66_666), (3, 3, 100_000), (4, 3, 100_000), (-1, 3, 0), (1, 0, 0),
            (.max - 1, .max, 99_999), (1, .max, 0),
        ]
        for (spent, granted, percentage) in rows {
            #expect(ConsumptionInformation.percentage(spent: spent, ofGranted: granted) == percentage)
        }
    }
}

@Suite("An answer of the server API")
struct ServerAPIAnswerTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `has a page of signed texts`() throws {
        let page = try TransactionPage(
            bytes(#"{"signedTransactions":["a.b.c","d"],"revision":"r1","hasMore":true,"x":1}"#)
        )
        #expect(page.signedTransactions == ["a.b.c", "d"] && page.revision == "r1" && page.hasMore)
        let empty = try TransactionPage(bytes("{}"))
        #expect(empty.signedTransactions.isEmpty && !empty.hasMore)
    }

    @Test(arguments: [
        "", "<html>", "[]", #"{"signedTransactions":"a"}"#, #"{"signedTransactions":[1]}"#, #"{"hasMore":"true"}"#,
        #"{"revision":1}"#, #"{"revision":"a","revision":"b"}"#,
    ])
    func `that is something else is refused`(text: String) {
        #expect(throws: ServerAPIAnswerError.self) { try TransactionPage(bytes(text)) }
    }

    @Test func `has notifications and how they were sent`() throws {
        let text = #"""
            {"notificationHistory":[{"signedPayload":"a.b.c","sendAttempts":[{"attemptDate":1749978000000,"sendAttemptResult":"TIMED_OUT"},
            {"attemptDate":1749978060000,"sendAttemptResult":"SUCCESS"}]}],"hasMore":false,"paginationToken":"t"}
            """#
        let page = try NotificationPage(bytes(text))
        #expect(page.token == "t" && !page.hasMore && page.notifications.count == 1)
        #expect(page.notifications[0].attempts.map(\.isSuccess) == [false, true])
        #expect(page.notifications[0].attempts[0].time == WallTime(seconds: 1_749_978_000))
        #expect(try SentNotification(bytes(#"{"signedPayload":"a"}"#)).attempts.isEmpty)
        #expect(throws: ServerAPIAnswerError.self) { try SentNotification(bytes("{}")) }
        #expect(throws: ServerAPIAnswerError.self) { try NotificationPage(bytes(#"{"notificationHistory":[{}]}"#)) }
    }

    @Test func `has one text`() throws {
        #expect(try SignedAnswer.transaction(bytes(#"{"signedTransactionInfo":"a"}"#)) == "a")
        #expect(try SignedAnswer.appTransaction(bytes(#"{"signedAppTransactionInfo":"a"}"#)) == "a")
        #expect(try SignedAnswer.testNotificationToken(bytes(#"{"testNotificationToken":"t"}"#)) == "t")
        #expect(throws: ServerAPIAnswerError.self) {
            try SignedAnswer.transaction(bytes(#"{"signedTransactionInfo":""}"#))
        }
        #expect(try SignedAnswer.order(bytes(#"{"status":0,"signedTransactions":["a"]}"#)) == ["a"])
        #expect(try SignedAnswer.order(bytes(#"{"status":1}"#)).isEmpty)
        #expect(throws: ServerAPIAnswerError.self) { try SignedAnswer.order(bytes(#"{"signedTransactions":["a"]}"#)) }
    }

    @Test func `has the state of subscriptions`() throws {
        let text = #"""
            {"data":[{"subscriptionGroupIdentifier":"g","lastTransactions":[{"status":3,"originalTransactionId":"1",
            "signedTransactionInfo":"t","signedRenewalInfo":"r"}]}]}
            """#
        let list = try SubscriptionStatus.list(bytes(text))
        #expect(list.count == 1 && list[0].status == 3 && list[0].groupID == "g" && list[0].signedRenewal == "r")
        #expect(throws: ServerAPIAnswerError.self) { try SubscriptionStatus.list(bytes(#"{"data":[{}]}"#)) }
    }

    @Test func `ends a walk over pages`() {
        var walk = PageWalk(mostPages: 3)
        #expect(walk.take("1", hasMore: true) == .next && walk.mark == "1")
        #expect(walk.take("2", hasMore: false) == .finished && walk.mark == "2")
        var stuck = PageWalk(from: "1", mostPages: 3)
        #expect(stuck.take("1", hasMore: true) == .stuck)
        #expect(stuck.take(nil, hasMore: true) == .stuck && stuck.mark == "1")
        var long = PageWalk(mostPages: 2)
        #expect(long.take("1", hasMore: true) == .next && long.take("2", hasMore: true) == .paused && long.mark == "2")
        var known = PageWalk(from: "9", mostPages: 1)
        #expect(known.take(nil, hasMore: false) == .finished && known.mark == "9")
    }

    @Test func `has a code with a meaning`() {
        let failure = ServerAPIFailure(status: 404, body: bytes(#"{"errorCode":4040010,"errorMessage":"secret"}"#))
        #expect(failure.code == 4_040_010 && failure.isTransactionElsewhere)
        #expect(failure.description == "status 404, code 4040010 (transaction not found)")
        for body in ["", "<html>", #"{"errorCode":"4040010"}"#, #"{"errorCode":4040010.5}"#, #"{"errorCode":5000000}"#]
        {
            #expect(ServerAPIFailure(status: 404, body: bytes(body)).code == nil)
        }
        #expect(ServerAPIErrorMeaning.codes.count == 66)
        #expect(ServerAPIErrorMeaning.codes.allSatisfy { (400...500).contains($0 / 10_000) })
        let soon = ServerAPIErrorMeaning.codes.filter { ServerAPIErrorMeaning(code: $0)?.repetition == .soon }
        #expect(soon == [4_040_002, 4_040_004, 4_040_006, 5_000_001])
    }
}

@Suite("A call of the server API")
struct ServerAPIRetryTests {
    private let now = WallTime(seconds: 1_795_900_000)
    private let random = SeededRandom(seed: 7)

    private func answer(_ status: Int, _ code: Int? = nil, retryAfter: String? = nil) -> ServerAPITry {
        let body = code.map { #"{"errorCode":\#($0)}"# } ?? ""
        let fields = retryAfter.map { [("Retry-After", $0)] } ?? []
        return .answer(InboundResponse(status: status, fields: fields, body: Array(body.utf8)))
    }

    private func retry(deadline: Int = 3_600) -> ServerAPIRetry { ServerAPIRetry(deadline: now + .seconds(deadline)) }

    @Test(arguments: [200, 202, 204])
    func `that succeeded is done`(status: Int) {
        var retry = retry()
        #expect(retry.next(after: answer(status), at: now, random: random) == .done)
    }

    @Test func `that may succeed later is tried three times more, after growing pauses`() {
        let tries = [
            answer(500), answer(502), answer(503), answer(504), answer(404, 4_040_002), answer(404, 4_040_004),
            answer(404, 4_040_006), answer(500, 5_000_001), .unreadable, .noAnswer(.connectFailed),
            .noAnswer(.timedOut), .noAnswer(.connectionLost), .noAnswer(.refused), .noAnswer(.protocolViolation),
        ]
        for attempt in tries {
            var retry = retry()
            for longest in [500, 2_000, 8_000] {
                guard case .again(let pause) = retry.next(after: attempt, at: now, random: random) else {
                    Issue.record("not tried again: \(attempt)")
                    return
                }
                #expect(pause >= .milliseconds(longest / 2) && pause <= .milliseconds(longest))
            }
            #expect(retry.next(after: attempt, at: now, random: random) == .giveUp(.unavailable))
        }
    }

    @Test func `is not tried behind its deadline`() {
        var retry = retry(deadline: 0)
        #expect(retry.next(after: answer(503), at: now, random: random) == .giveUp(.unavailable))
    }

    @Test func `with an internal error is tried once more`() {
        var retry = retry()
        guard case .again = retry.next(after: answer(500, 5_000_000), at: now, random: random) else {
            Issue.record("not tried again")
            return
        }
        #expect(retry.next(after: answer(500, 5_000_000), at: now, random: random) == .giveUp(.unavailable))
    }

    @Test func `gets a new token once`() {
        var retry = retry()
        #expect(retry.next(after: answer(401), at: now, random: random) == .newToken)
        #expect(retry.next(after: answer(401), at: now, random: random) == .giveUp(.credentials))
    }

    @Test(
        arguments: [(400, 4_000_006), (404, 4_040_010), (403, nil), (404, nil), (301, nil), (501, nil)] as [(Int, Int?)]
    )
    func `that is refused is not repeated`(status: Int, code: Int?) {
        var retry = retry()
        guard case .giveUp(.refused(let failure)) = retry.next(after: answer(status, code), at: now, random: random)
        else {
            Issue.record("not given up")
            return
        }
        #expect(failure.status == status && failure.code == code)
    }

    @Test func `over the limit waits as long as Apple says, within a bound`() {
        let inTen = String((now + .seconds(10)).seconds * 1_000 + 250)
        let rows: [(String?, Duration)] = [
            (inTen, .milliseconds(10_250)), ("30", .seconds(30)), ("0", .zero), (nil, .seconds(60)),
            ("soon", .seconds(60)), ("1795899999000", .zero), ("99999999999", .seconds(3_600)),
            ("9999999999999", .seconds(3_600)), ("99999999999999999999", .seconds(60)), ("-5", .seconds(60)),
            ("Sat, 28 Nov 2026 21:28:20 GMT", .seconds(1_300)),
        ]
        for (text, wait) in rows {
            var retry = retry()
            let step = retry.next(after: answer(429, 4_290_000, retryAfter: text), at: now, random: random)
            #expect(step == .notBefore(now + wait), "\(text ?? "none")")
        }
    }
}

@Suite("A type of notification")
struct NotificationTypeTests {
    @Test func `is known by its word, or kept`() {
        #expect(NotificationType.known.count == 23)
        for type in NotificationType.known { #expect(NotificationType(word: type.word.octets) == type) }
        #expect(NotificationType(word: "NEW") == .other("NEW") && NotificationType.other("NEW").word == "NEW")
        for type in TransactionType.known { #expect(TransactionType(word: type.word.octets) == type) }
        for type in TransactionOwnership.known { #expect(TransactionOwnership(word: type.word.octets) == type) }
        for type in RevocationType.known { #expect(RevocationType(word: type.word.octets) == type) }
    }

    @Test func `says what becomes of the ledger`() {
        let effects = NotificationType.known.filter { $0.ledgerEffect != .none }.map { ($0, $0.ledgerEffect) }
        #expect(effects.map(\.0) == [.oneTimeCharge, .consumptionRequest, .refund, .refundReversed])
        #expect(effects.map(\.1) == [.grant, .answerConsumption, .takeBack, .giveBack])
        #expect(NotificationType.other("X").ledgerEffect == .none && NotificationType.revoke.ledgerEffect == .none)
        #expect(NotificationType.expired.knownSubtypes.count == 4 && NotificationType.refund.knownSubtypes.isEmpty)
    }
}
