import DeviceAttestation
import Testing

@Suite("A month of a device")
struct DeviceMonthTests {
    @Test(arguments: [(2026, 0), (2026, 13), (-1, 1), (10_000, 1)])
    func `is one of a calendar`(year: Int, month: Int) {
        #expect(DeviceMonth(year: year, month: month) == nil)
    }
}
