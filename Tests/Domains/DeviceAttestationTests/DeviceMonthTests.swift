import DeviceAttestation
import Primitives
import Testing

@Suite("A month of a device")
struct DeviceMonthTests {
    @Test(arguments: [(2026, 0), (2026, 13), (-1, 1), (10_000, 1)])
    func `is one of a calendar`(year: Int, month: Int) {
        #expect(DeviceMonth(year: year, month: month) == nil)
    }

    @Test(arguments: ["2026-01", "0000-12", "9999-10"])
    func `is read as Apple writes it`(text: String) {
        #expect(DeviceMonth(text)?.text == text)
    }

    @Test(arguments: [
        "", "2026", "2026-1", "2026-00", "2026-13", "2026/01", "2026-01-01", " 2026-01", "２026-01", "-026-01",
    ])
    func `is read from nothing else`(text: String) {
        #expect(DeviceMonth(text) == nil)
    }

    @Test func `is as many months behind another as the calendar says`() throws {
        let rows = [
            ("2026-11", "2026-11", 0), ("2026-11", "2026-10", 1), ("2026-01", "2025-12", 1), ("2026-11", "2024-11", 24),
        ]
        for (now, then, months) in rows {
            let (now, then) = (try #require(DeviceMonth(now)), try #require(DeviceMonth(then)))
            #expect(now.months(since: then) == months && then.months(since: now) == -months)
        }
    }

    @Test func `is that of a time in UTC`() {
        #expect(DeviceMonth(WallTime(seconds: 1_796_083_199)).text == "2026-11")
        #expect(DeviceMonth(WallTime(seconds: 1_796_083_200)).text == "2026-12")
    }
}
