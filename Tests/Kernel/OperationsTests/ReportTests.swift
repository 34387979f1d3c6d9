import Operations
import Testing

@Suite("The report of the checks")
struct ReportTests {
    private static let note = Finding("D26", .note, "cdn", "Not asked.")
    private static let warning = Finding("D13", .warning, "apps.ios", "No webcredentials.", remedy: "Add them.")
    private static let error = Finding("D02", .error, "server.link_host", "It is an address.", remedy: "Give a name.")

    @Test(
        arguments: [
            ([], 0, 0), ([note], 0, 0), ([warning, note], 0, 1), ([error], 2, 2), ([note, error, warning], 2, 2),
        ] as [([Finding], Int32, Int32)]
    )
    func `sets the exit status by the worst finding`(findings: [Finding], plain: Int32, strict: Int32) {
        let report = Report(findings)
        #expect(report.exitStatus(isStrict: false) == plain)
        #expect(report.exitStatus(isStrict: true) == strict)
    }

    @Test func `has a line per finding, ordered by check`() {
        let second = Finding("D02", .error, "server.web_host", "It is an address.")
        let report = Report([Self.note, Self.error, Self.warning, second])
        #expect(
            report.text == """
                D02 error server.link_host: It is an address. Give a name.
                D02 error server.web_host: It is an address.
                D13 warning apps.ios: No webcredentials. Add them.
                D26 note cdn: Not asked.

                """
        )
    }

    @Test func `is empty where nothing was found`() {
        #expect(Report([]).text.isEmpty)
        #expect(Report([]).worst == nil)
    }
}
