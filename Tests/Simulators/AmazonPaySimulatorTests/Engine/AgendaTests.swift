import Primitives
import Testing

@testable import AmazonPaySimulator

@Suite("What is planned")
struct AgendaTests {
    @Test func `does not grow with sessions that are forgotten`() {
        var bench = Bench { $0.sessionCapacity = 3 }
        for _ in 0..<40 { _ = bench.checkOut() }
        let planned = bench.model.engine.agenda.count
        // Two for each session that is there, and as much again until the next look.
        #expect(planned >= 6 && planned <= 12, "\(planned)")
    }

    @Test func `keeps its order when a part is dropped`() throws {
        var agenda = Agenda()
        let start = WallTime(seconds: 0)
        for number in [5, 3, 8, 1, 9, 2, 7] {
            agenda.add(.sessionExpires("\(number)"), at: start + .seconds(number))
            agenda.add(.refundSettles("\(number)"), at: start + .seconds(number))
        }
        agenda.keep { event in
            if case .sessionExpires = event { true } else { false }
        }
        var seen: [Agenda.Event] = []
        while let due = agenda.takeDue(at: start + .seconds(60)) { seen.append(due.event) }
        #expect(seen == [1, 2, 3, 5, 7, 8, 9].map { .sessionExpires("\($0)") })
        #expect(agenda.isEmpty)
    }
}
