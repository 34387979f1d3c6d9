import EventIO
import Glibc
import HTTPCore
import IntegrationKit
import Primitives
import Testing

/// Whether a process may look into another one of its user, unless that forbids it.
private let seesMemory = {
    let scope = (try? Files.read("/proc/sys/kernel/yama/ptrace_scope")) ?? []
    return scope.isEmpty || scope.first == UInt8(ascii: "0")
}()
/// Whether a core is a file in the folder of its process.
private let seesCores = {
    let pattern = (try? Files.read("/proc/sys/kernel/core_pattern")) ?? Array("|".utf8)
    var limit = rlimit()
    let isAllowed = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 && limit.rlim_max > 0
    return isAllowed && !pattern.contains(UInt8(ascii: "/")) && pattern.first != UInt8(ascii: "|")
}()

/// T10 of docs/contract.md: what is secret stays in the memory of the process.
///
/// The server runs as a user without rights: the superuser may look into any process. Where the machine hands cores to a
/// program, or keeps processes apart anyway, one of the two ways is left to show that the test can fail; without either it
/// shows nothing.
@Suite(
    "The memory of a server",
    .tags(.database, .slow),
    .enabled(if: seesMemory || seesCores, "this machine shows neither memory nor cores")
)
struct MemoryTests {
    /// What the user of the server looks with: the pages of its memory that can be written and are there, for the words of a
    /// file.
    private static let search = """
        os, sys = __import__("os"), __import__("sys")
        words = open(sys.argv[2], "rb").read().split()
        memory = os.open(f"/proc/{sys.argv[1]}/mem", os.O_RDONLY)
        present = os.open(f"/proc/{sys.argv[1]}/pagemap", os.O_RDONLY)
        for line in open(f"/proc/{sys.argv[1]}/maps"):
            if " rw" not in line: continue
            first, last = (int(end, 16) >> 12 for end in line.split()[0].split("-"))
            if last - first > 1 << 24: continue  # what a sanitizer sets aside
            entries = os.pread(present, (last - first) * 8, first * 8)
            tail = b""
            for number in range(len(entries) // 8):
                if not entries[number * 8 + 7] >> 6: tail = b""; continue
                tail = tail[-200:] + os.pread(memory, 4096, (first + number) << 12)
                for word in words:
                    if word in tail: print(word.decode())
        """

    private let user = SystemUser.current.id == 0 ? SystemUser(named: "postgres") : SystemUser.current

    /// What was found of the tokens; `nil` for a way that this machine does not have.
    private struct Found: Sendable {
        var memory: Set<String>?
        var core: Set<String>?
        var hasCore = false
    }

    private final class Findings: Sendable {
        let found = Lock(Found())
    }

    /// Buys something on a server, then has its user search its memory and ends it by a signal that writes a core.
    ///
    /// - Returns: The tokens that were found in memory and in the core.
    private func lookInto(_ settings: [String: String]) async throws -> Found {
        let user = try #require(user)
        let findings = Findings()
        try await withProcessShop { shop in
            try await shop.turnAutopilotOn()
            shop.settings.merge(settings) { $1 }
            // The runtime's own handler writes a report, and then goes on behind a signal that somebody has sent.
            shop.settings["SWIFT_BACKTRACE"] = "enable=no"
            let server = try await shop.startServer(as: user)
            let crossing = try await shop.place(on: server)
            #expect(try await shop.client.purchase(crossing, server.url).status == 200)
            let tokens = [crossing.launchTicket, crossing.tabToken, crossing.returnTicket, crossing.appProof]
            let list = shop.folder + "/tokens"
            try Files.write(list, Array(tokens.joined(separator: "\n").utf8), mode: 0o644)
            if seesMemory {
                var plan = ChildPlan(
                    "/usr/bin/python3",
                    ["-c", MemoryTests.search, "\(server.program.process.pid)", list],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                if user != .current { plan.user = user }
                let output = String(decoding: try plan.run(atMost: .seconds(120)).output, as: UTF8.self)
                findings.found.withLock { $0.memory = Set(tokens.filter { output.contains($0) }) }
            }
            #expect(try await server.program.end(.quit) == .signal(Signal.quit.number))
            guard seesCores else { return }
            findings.found.withLock { $0.core = [] }
            guard let core = try Files.list(shop.folder).first(where: { $0.hasPrefix("core") }) else { return }
            let grep = ["-c", "LC_ALL=C grep -aoF -f \"$1\" \"$0\" | sort -u", shop.folder + "/" + core, list]
            let plan = ChildPlan("/bin/sh", grep, environment: ["PATH": "/usr/bin:/bin"])
            let output = String(decoding: try plan.run(atMost: .seconds(120)).output, as: UTF8.self)
            findings.found.withLock { found in
                found.hasCore = true
                found.core = Set(tokens.filter { output.contains($0) })
            }
        }
        return findings.found.withLock { $0 }
    }

    @Test func `is closed to its own user, and no core of it is written`() async throws {
        let found = try await lookInto([:])
        #expect(found.memory ?? [] == [])
        #expect(!found.hasCore)
    }

    @Test func `holds tokens, which whoever allows cores may find`() async throws {
        let found = try await lookInto(["SALLYPORT_DEBUG_CORE_DUMPS": "true"])
        #expect(found.memory != nil || found.core != nil, "nothing on this machine could show what a core holds")
        if let memory = found.memory { #expect(!memory.isEmpty) }
        if let core = found.core {
            #expect(found.hasCore)
            #expect(!core.isEmpty)
        }
    }
}
