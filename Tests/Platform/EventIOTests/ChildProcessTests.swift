import EventIO
import TestKit
import Testing

private let shell = "/bin/sh"

@Suite struct `A child process` {
    @Test(arguments: [("exit 0", ChildProcess.Exit.code(0)), ("exit 7", .code(7)), ("kill -TERM $$", .signal(15))])
    func `tells how it ended`(script: String, exit: ChildProcess.Exit) throws {
        let child = try ChildPlan(shell, ["-c", script]).start()
        #expect(try child.wait() == exit)
        #expect(try child.wait() == exit)
        try child.send(.terminate)
    }

    @Test func `gets its arguments and its environment and nothing else`() throws {
        let plan = ChildPlan("/usr/bin/env", environment: ["ONE": "1", "TWO": "a b=c"])
        let (exit, output) = try plan.run(atMost: .seconds(120))
        #expect(exit.isSuccess)
        #expect(String(decoding: output, as: UTF8.self) == "ONE=1\nTWO=a b=c\n")
        let echo = try ChildPlan("/bin/echo", ["-n", "a b", "", "c"]).run(atMost: .seconds(120))
        #expect(String(decoding: echo.output, as: UTF8.self) == "a b  c")
    }

    @Test func `has three descriptors, no blocked signal and none ignored`() throws {
        let script = "ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status"
        let plan = ChildPlan(shell, ["-c", script], environment: ["PATH": "/usr/bin:/bin"])
        let (_, output) = try plan.run(atMost: .seconds(120))
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        // The fourth is the one with which the folder is listed.
        #expect(lines.first == "4")
        // Signals 32 and 33 belong to the C library, which leaves them as whoever started the tests had them.
        let masks = lines.dropFirst().compactMap { UInt64($0.suffix(16), radix: 16) }
        #expect(masks.count == 2 && masks.allSatisfy { $0 & ~(3 << 31) == 0 })
    }

    @Test func `works where it is told to and leads a session`() throws {
        var plan = ChildPlan(
            shell,
            ["-c", "pwd; ps -o sid= -p $$ | tr -d ' '; echo $$"],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        plan.workingDirectory = "/usr/lib"
        plan.startsSession = true
        let lines = String(decoding: try plan.run(atMost: .seconds(120)).output, as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "/usr/lib")
        #expect(lines.count == 3 && lines[1] == lines[2])
    }

    @Test(.enabled(if: SystemUser.current.id == 0, "only the superuser may become another"))
    func `drops to another user for good`() throws {
        let nobody = try #require(SystemUser(named: "nobody"))
        var plan = ChildPlan(shell, ["-c", "id -u; id -g; id -G"], environment: ["PATH": "/usr/bin:/bin"])
        plan.user = nobody
        let output = String(decoding: try plan.run(atMost: .seconds(120)).output, as: UTF8.self)
        #expect(output == "\(nobody.id)\n\(nobody.groupID)\n\(nobody.groupID)\n")
        #expect(SystemUser(named: "no-such-user-here") == nil)
    }

    @Test func `reports what kept it from starting`() throws {
        #expect(throws: IOError(code: IOError.notFound, operation: "execve")) {
            _ = try ChildPlan("/no/such/program").start()
        }
        #expect(throws: IOError(code: IOError.notFound, operation: "chdir")) {
            var plan = ChildPlan(shell)
            plan.workingDirectory = "/no/such/folder"
            _ = try plan.start()
        }
    }

    @Test func `is killed at its deadline`() throws {
        #expect(throws: IOError(code: IOError.timedOut, operation: "waitid")) {
            _ = try ChildPlan("/bin/sleep", ["600"]).run(atMost: .milliseconds(10))
        }
    }

    @Test func `is waited for on a loop without blocking it`() async throws {
        let exit = try await withLoop { reactor in
            let child = try ChildPlan("/bin/sleep", ["600"]).start()
            let early = try child.wait(atMost: .zero)
            #expect(early == nil)
            _ = reactor.schedule(after: .milliseconds(1)) {
                do { try child.send(.kill) } catch { Issue.record(error) }
            }
            return try await child.exit(on: reactor)
        }
        #expect(exit == .signal(9))
    }

    @Test func `is waited for by several at once, none of them held up by another`() async throws {
        let child = try ChildPlan("/bin/sleep", ["600"]).start()
        let worker = try WorkerThread(name: "waiter")
        let exits = try await withLoop { reactor in
            var patient: ChildProcess.Exit?
            let task = reactor.startTask { patient = await worker.run { try? child.wait() } }
            #expect(await waitUntil(reactor) { worker.load == 1 })
            let early = try child.wait(atMost: .zero)
            #expect(early == nil)
            try child.send(.terminate)
            let own = try await child.exit(on: reactor)
            await task.value
            return [patient, own]
        }
        #expect(exits == [.signal(15), .signal(15)])
        worker.stop()
    }

    @Test func `writes where it is told to`() async throws {
        try await withTemporaryFolder { folder in
            for word in ["one", "two"] {
                var plan = ChildPlan(shell, ["-c", "echo \(word); echo \(word) >&2"])
                plan.output = .appended(path: folder + "/out")
                plan.error = .discarded
                let exit = try plan.start().wait()
                #expect(exit == .code(0))
            }
            #expect(try Files.read(folder + "/out") == Array("one\ntwo\n".utf8))
            #expect(try Files.permissions(folder + "/out").mode == 0o600)
        }
    }

    @Test func `outlives the thread that asked for it, but not the process`() async throws {
        // The middle process starts a grandchild with a death signal from a thread that ends at once, reports its number,
        // and is then killed the hard way.
        let result = await #expect(processExitsWith: .signal(9), observing: [\.standardOutputContent]) {
            var plan = ChildPlan("/bin/sleep", ["600"])
            plan.deathSignal = .kill
            let grandchild = try await onShortThread(plan)
            StandardStream.output.write("grandchild \(grandchild.pid)\n")
            guard try grandchild.wait(atMost: .milliseconds(50)) == nil else { return }
            try Signal.kill.sendToThisThread()
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("grandchild ") })
        // The number vanishes, or stays as a corpse that nobody collects here.
        let isOver = try await hasEnded(String(line.dropFirst("grandchild ".count)))
        #expect(isOver)
    }
}

/// Starts a child from a thread that has ended when this returns.
private func onShortThread(_ plan: ChildPlan) async throws -> ChildProcess {
    let worker = try WorkerThread(name: "short")
    let child = await worker.run { Result { try plan.start() } }
    worker.stop()
    worker.join()
    return try child.get()
}

/// Whether a process is gone or dead.
private func hasEnded(_ pid: String) async throws -> Bool {
    try await withLoop { reactor in
        await waitUntil(reactor) {
            guard let text = try? Files.read("/proc/\(pid)/stat") else { return true }
            let state = String(decoding: text, as: UTF8.self).split(separator: ")").last?.first { $0 != " " }
            return state == "Z" || state == "X"
        }
    }
}
