import EventIO
import HTTPCore
import IntegrationKit
import Primitives
import Testing

/// Session-security T10: what is secret stays in the memory of the process.
///
/// The server runs as a user without rights: the superuser may look into any process. Where the machine hands cores to a program, or
/// keeps processes apart anyway, one of the two ways is left to show that the test can fail.
@Suite("The memory of a server", .tags(.database, .slow))
struct MemoryTests {
    /// What the user of the server looks with: all memory that can be written, for the words of a file.
    private static let search = """
        grep -E '^[0-9a-f]+-[0-9a-f]+ rw' /proc/$0/maps | while read -r range rest; do
            first=$((0x${range%-*} / 4096)); last=$((0x${range#*-} / 4096))
            dd if=/proc/$0/mem bs=4096 skip=$first count=$((last - first)) 2>/dev/null
        done | LC_ALL=C grep -aoF -f "$1" | sort -u
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
            let server = try await shop.startServer(as: user)
            let crossing = try await shop.place(on: server)
            #expect(try await shop.client.purchase(crossing, server.url).status == 200)
            let tokens = [crossing.launchTicket, crossing.tabToken, crossing.returnTicket, crossing.appProof]
            let list = shop.folder + "/tokens"
            try Files.write(list, Array(tokens.joined(separator: "\n").utf8), mode: 0o644)
            let scope = (try? Files.read("/proc/sys/kernel/yama/ptrace_scope")) ?? []
            if scope.isEmpty || scope.first == UInt8(ascii: "0") {
                var plan = ChildPlan(
                    "/bin/sh",
                    ["-c", MemoryTests.search, "\(server.program.process.pid)", list],
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                if user != .current { plan.user = user }
                let output = String(decoding: try plan.run(atMost: .seconds(120)).output, as: UTF8.self)
                findings.found.withLock { $0.memory = Set(tokens.filter { output.contains($0) }) }
            }
            #expect(try await server.program.end(.quit) == .signal(Signal.quit.number))
            let name = String(decoding: try Files.read("/proc/sys/kernel/core_pattern").dropLast(), as: UTF8.self)
            guard !name.hasPrefix("|"), !name.contains("/") else { return }
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
