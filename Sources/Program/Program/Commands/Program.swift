import EventIO
import Operations
package import Postgres
import ServerCore
import Synchronization
import Telemetry

/// The program: prepares the process, and runs the command that its words ask for.
package enum Program {
    /// Runs one command line to its end; what the executable's entry calls.
    ///
    /// The command runs on a loop of its own, and the calling thread only waits: an asynchronous entry would let the runtime
    /// make threads before the signals are blocked, and a signal kills the process in any thread that does not block it.
    ///
    /// - Parameters:
    ///   - words: Everything behind the program's name.
    /// - Returns: The exit status: 0 done, 1 failed, 2 wrong use.
    package static func main(_ words: [String], environment: [String: String]) -> Int32 {
        do throws(IOError) {
            // Before there is anything in memory that a core could hold.
            if !CoreDumps.areAllowed(environment) { try ThisProcess.forbidDumps() }
            guard faults.isEmpty else {
                for fault in faults { Console.standard.complain("sallyport: \(fault)") }
                return 1
            }
            if CommandTable.set.answersSignals(words) { try ShutdownSignal.all.block() }
            try SignalSet.ignoreBrokenPipes()
            _ = try Machine.raiseDescriptorLimit()
            let loop = try EventLoop(name: "command", logger: .silent)
            try loop.start()
            let status = Atomic<Int32>(1)
            loop.execute { reactor in
                reactor.startTask {
                    let end = await CommandTable.set.run(words, environment: environment, console: .standard)
                    status.store(end, ordering: .releasing)
                    loop.stop()
                }
            }
            loop.join()
            return status.load(ordering: .acquiring)
        } catch {
            Console.standard.complain("sallyport: \(error)")
            return 1
        }
    }

    /// Every statement that the program sends, store by store, with those of its features.
    ///
    /// A test runs each of them on a database of three years and looks at its plan; it fails where one is missing here.
    package static let statements: [Statement] = ownStatements + FeatureList.all.statements

    /// Those of no feature.
    private static let ownStatements =
        PostgresOperatorStore.statements + PostgresPartitionStore.statements
        + [FeatureList.all.rightsStatement.statement]

    /// What is wrong with the list of features; empty in every program that is handed out.
    static var faults: [String] {
        FeatureList.all.faults(
            beside: FeatureSet.Names(
                commands: CommandTable.own.map(\.name),
                statements: ownStatements
            )
        )
    }
}
