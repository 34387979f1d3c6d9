package import EventIO
import Foundation
import Primitives
import TestKit

/// A command of `sallyport` that runs as a process of its own and writes its log into a file.
///
/// It ends with the process of the tests, whatever becomes of that.
package final class RunningProgram {
    /// The process.
    package let process: ChildProcess
    /// The file with everything it has written.
    package let logPath: String
    private let reactor: Reactor

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - environment: All variables; of the caller's only the options of the sanitizers are inherited.
    ///   - logPath: A file that is not there yet.
    ///   - user: Whom it runs as, where that is not the tests' own user: then with leave of the system to write cores.
    package init(
        _ words: [String],
        environment: [String: String],
        logPath: String,
        on reactor: Reactor,
        as user: SystemUser? = nil
    ) throws {
        let variables = environment.merging(Self.sanitizerOptions) { given, _ in given }
        var plan = ChildPlan(try BuiltProgram.sallyport(), words, environment: variables)
        if let user {
            plan.arguments = ["-c", "ulimit -c unlimited; exec \"$0\" \"$@\"", plan.executable] + words
            plan.executable = "/bin/sh"
            if user != .current { plan.user = user }
        }
        plan.workingDirectory = Files.parent(of: logPath)
        plan.startsSession = true
        plan.deathSignal = .kill
        plan.output = .appended(path: logPath)
        plan.error = .appended(path: logPath)
        self.logPath = logPath
        self.reactor = reactor
        process = try plan.start()
    }

    /// The options of the caller's sanitizer hold for the program too: it was built with the same one.
    private static let sanitizerOptions = ProcessInfo.processInfo.environment.filter { name, _ in
        ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains(name)
    }

    /// What it has written so far.
    package var log: String {
        String(decoding: (try? Files.read(logPath)) ?? [], as: UTF8.self)
    }

    /// Waits until a line with a text has been written to its end.
    ///
    /// - Throws: `ProgramFailure` when the program ends before, or writes none for a long time.
    package func line(with text: String, count: Int = 1) async throws -> String {
        let found = try await poll(reactor, "the line \(text)") { () throws -> String? in
            let hasEnded = try self.process.wait(atMost: .zero) != nil
            let lines = self.log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let hits = lines.filter { $0.contains(text) }
            if hits.count < count, hasEnded { throw ProgramFailure("ended without \(text): \(self.log.suffix(2_000))") }
            return hits.count < count ? nil : hits.last.map(String.init)
        }
        return found
    }

    /// Sends a signal and waits for the end.
    @discardableResult package func end(_ signal: Signal) async throws -> ChildProcess.Exit {
        try process.send(signal)
        return try await process.exit(on: reactor)
    }

    /// Kills it and waits for the end on the calling thread.
    ///
    /// One that has ended already is fine; this is for `defer`.
    package func destroy() {
        do throws(IOError) {
            try process.send(.kill)
            _ = try process.wait(atMost: .seconds(5))
        } catch {
            StandardStream.error.write("process \(process.pid) of a test cannot be ended: \(error)\n")
        }
    }
}

/// A program of the tests did not do what it should.
package struct ProgramFailure: Error, Sendable, CustomStringConvertible {
    package let description: String

    /// A failure.
    package init(_ description: String) {
        self.description = description
    }
}

/// Polls until there is an answer: for effects of another process that are not reported.
///
/// - Parameters:
///   - patience: Generous; it is reached only by a fault.
///   - question: Answers `nil` while there is nothing yet.
package func poll<Answer>(
    _ reactor: Reactor,
    _ what: String,
    atMost patience: Duration = Patience.usual,
    _ question: () async throws -> Answer?
) async throws -> Answer {
    let end = reactor.now + patience
    while reactor.now < end {
        if let answer = try await question() { return answer }
        await reactor.sleep(for: .milliseconds(5))
    }
    throw ProgramFailure("nothing after \(patience): \(what)")
}
