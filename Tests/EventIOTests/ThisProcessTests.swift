import EventIO
import Testing

@Suite struct `The running program` {
    @Test func `runs what was left for its end, the latest first`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ThisProcess.atExit { print("first") }
            ThisProcess.atExit { print("second") }
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let lines = output.split(separator: "\n").filter { $0 == "first" || $0 == "second" }
        #expect(lines == ["second", "first"])
    }
}

@Suite struct `A path` {
    @Test func `is resolved to an absolute one without dots`() throws {
        #expect(try Files.resolved("/usr/./lib/..") == "/usr")
        #expect(try Files.resolved(".").hasPrefix("/"))
    }

    @Test func `of nothing cannot be resolved`() {
        let error = #expect(throws: IOError.self) { try Files.resolved("/nowhere/at/all") }
        #expect(error?.code == IOError.notFound)
    }
}
