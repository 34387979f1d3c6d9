import EventIO
import Glibc
import Testing

@Suite struct `The running program` {
    @Test func `runs what was left for its end, the latest first`() async throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "/tmp/sallyport-end-")
        defer { try? Files.removeTree(folder) }
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            ThisProcess.atExit { try? Files.append(folder + "/log", Array("first".utf8)) }
            ThisProcess.atExit { try? Files.append(folder + "/log", Array("second ".utf8)) }
        }
        #expect(String(decoding: try Files.read(folder + "/log"), as: UTF8.self) == "second first")
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
