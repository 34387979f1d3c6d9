import Primitives
import SessionBroker
import TestKit
import Testing

/// Sessions in the order of their ids, and a clock; it answers readings as the store does.
private struct Sessions {
    /// Milliseconds, as all times here.
    var now: Int64 = 1_800_000_000_000
    /// Of this process.
    var issued = 0
    var isNear = false
    /// How many sessions each reading has looked at.
    var visits: [Int] = []
    private var rows: [(id: WebviewSessionID, until: Int64)] = []
    private let random = SeededRandom(seed: 3)

    var live: Int { rows.count { $0.until > now } }
    var time: WallTime { WallTime(microseconds: now * 1_000) }

    mutating func issue(_ count: Int, for life: Int64, at moment: Int64? = nil, isOurs: Bool = false) {
        let moment = moment ?? now
        for _ in 0..<count {
            rows.append(
                (WebviewSessionID(version7At: WallTime(microseconds: moment * 1_000), random: random), moment + life)
            )
        }
        // Most come one by one, in the order of their ids.
        let isInOrder = count == 1 && (rows.count == 1 || rows[rows.count - 2].id < rows[rows.count - 1].id)
        if !isInOrder { rows.sort { $0.id < $1.id } }
        if isOurs { issued += count }
    }

    mutating func endAll() {
        for index in rows.indices { rows[index].until = now }
    }

    /// Reads what is due now; how many readings that took.
    mutating func read(_ count: inout LiveSessionCount, batch: Int = 1_000) -> Int {
        var readings = 0
        while let reading = count.next(at: time, issued: issued, isNear: isNear) {
            let found = rows[place(of: reading.from)..<place(of: reading.until)].prefix(batch)
            count.take(live: found.count { $0.until > now }, last: found.count == batch ? found.last?.id : nil)
            visits.append(found.count)
            readings += 1
        }
        return readings
    }

    /// The index of the first id that is not less.
    private func place(of id: WebviewSessionID) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func estimate(_ count: LiveSessionCount) -> Int? { count.total.map { $0.live - $0.issued + issued } }
}

private let minute: Int64 = 60_000
private let life: Int64 = 120 * minute

@Suite("A count of live sessions")
struct LiveSessionCountTests {
    private func newCount() -> LiveSessionCount { LiveSessionCount(life: .seconds(7_200)) }

    @Test func `is unknown until every slice of the absolute time was read`() {
        var sessions = Sessions()
        for age in 0..<119 { sessions.issue(3, for: life, at: sessions.now - Int64(age) * minute) }
        var count = newCount()
        var readings = 0
        while count.total == nil, let reading = count.next(at: sessions.time, issued: 0, isNear: false) {
            // Two minutes of two hours, never more.
            #expect(reading.until.high >> 16 - reading.from.high >> 16 <= UInt64(2 * minute))
            count.take(live: 0, last: nil)
            readings += 1
        }
        #expect(readings == 61)
        count = newCount()
        _ = sessions.read(&count)
        #expect(sessions.estimate(count) == sessions.live)
        #expect(sessions.live == 357)
    }

    @Test func `looks at so many sessions at a time, however many came at once`() {
        var sessions = Sessions()
        sessions.issue(95, for: life, at: sessions.now - minute)
        var count = newCount()
        _ = sessions.read(&count, batch: 10)
        #expect(sessions.visits.max() == 10)
        #expect(sessions.estimate(count) == 95)
    }

    @Test func `adds what this process issues at once, and what others issue within a minute`() {
        var sessions = Sessions()
        var count = newCount()
        _ = sessions.read(&count)
        #expect(sessions.estimate(count) == 0)
        sessions.now += 1_000
        sessions.issue(5, for: life, isOurs: true)
        sessions.issue(7, for: life)
        #expect(sessions.read(&count) == 0)
        #expect(sessions.estimate(count) == 5)
        sessions.now += minute
        #expect(sessions.read(&count) <= 2)
        #expect(sessions.estimate(count) == 12)
    }

    @Test func `sees what has ended after five minutes, and after one where the number matters`() {
        for (isNear, pause) in [(false, 5), (true, 1)] {
            var sessions = Sessions()
            sessions.isNear = isNear
            for age in 0..<100 { sessions.issue(1, for: life, at: sessions.now - Int64(age) * minute) }
            var count = newCount()
            _ = sessions.read(&count)
            sessions.endAll()
            sessions.now += Int64(pause) * minute - 1
            _ = sessions.read(&count)
            #expect(sessions.estimate(count) ?? 0 > 90)
            sessions.now += 1
            _ = sessions.read(&count)
            #expect(sessions.estimate(count) == 0)
        }
    }

    @Test func `reads no slice that is older than any session lives`() {
        var sessions = Sessions()
        sessions.issue(1_000, for: life)
        var count = newCount()
        _ = sessions.read(&count)
        sessions.now += life + 5 * minute
        sessions.visits = []
        _ = sessions.read(&count)
        #expect(sessions.visits.max() == 0)
        #expect(sessions.estimate(count) == 0)
    }

    @Test func `agrees with the sessions minute by minute, for hours`() {
        let random = SeededRandom(seed: 7)
        var sessions = Sessions()
        sessions.isNear = true
        var count = newCount()
        for _ in 0..<300 {
            for _ in 0..<20 {
                sessions.now += 3_000
                // Most are left before they are opened, and nobody says so.
                let patience = random.below(4) == 0 ? life : 5 * minute
                sessions.issue(1, for: patience, isOurs: random.below(2) == 0)
            }
            _ = sessions.read(&count, batch: 7)
            let estimate = sessions.estimate(count) ?? -1
            // What ends before its slice is read again is still in it.
            #expect(estimate >= sessions.live && estimate <= sessions.live + 20, "\(estimate), \(sessions.live)")
        }
    }

    @Test(arguments: [-90 * 60_000, -1, 90 * 60_000, 100 * 86_400_000] as [Int64])
    func `finds its way when the clock is set`(by: Int64) {
        var sessions = Sessions()
        var count = newCount()
        sessions.issue(10, for: 2 * life)
        _ = sessions.read(&count)
        sessions.now += by
        _ = sessions.read(&count)
        sessions.now -= by
        for _ in 0..<3 {
            sessions.now += minute
            sessions.issue(2, for: life)
            _ = sessions.read(&count)
        }
        #expect(sessions.estimate(count) == 16)
    }
}
