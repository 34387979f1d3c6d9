import Testing

@testable import Wallet

@Suite("A line of a phone's log")
struct DeviceLogLineTests {
    private static let start = "[2026-11-21 18:00:00 +0900] Get pass task (pass type pass.example, serial number "
    private static let end = ", if-modified-since (null); with web service url https://a/) encountered error: "

    private func line(_ serial: String, _ message: String) -> DeviceLogLine {
        DeviceLogLine(DeviceLogLineTests.start + serial + DeviceLogLineTests.end + message)
    }

    @Test(arguments: [
        ("\u{202E}", "\\u{202e}"), ("\u{85}", "\\u{85}"), ("\u{2028}", "\\u{2028}"), ("\u{200B}", "\\u{200b}"),
    ])
    func `is shown with what cannot be seen as escapes`(hidden: String, shown: String) {
        let read = line("S", "gone\(hidden)!")
        #expect(read.kind == .get && read.serial == "S")
        #expect(read.message == "gone\(shown)!")
        #expect(DeviceLogLine("gone\(hidden)!").message == "gone\(shown)!")
    }

    @Test func `names no pass whose number cannot be seen`() {
        let read = line("S\u{202E}", "gone")
        #expect(read.kind == .other && read.serial == nil)
        #expect(read.message.contains("S\\u{202e}"))
    }

    @Test func `is read in its own order only`() {
        let list =
            "[2026-11-21 18:00:00 +0900] Get serial #s task (for device d, p0ss type p, last updated 7; with web service url "
        let read = DeviceLogLine(list + "https://a/) encountered error: gone")
        #expect(read.kind == .other && read.device == nil && read.passType == nil)
    }

    @Test func `is kept to a length, escapes and all`() {
        let hostile = String(repeating: "\u{202E}", count: 1_300)
        #expect(DeviceLogLine(hostile).message.utf8.count == 4_096)
        let read = line("S", hostile)
        #expect(read.kind == .get && (4_000...4_096).contains(read.message.utf8.count))
    }
}
