import EventIO
import Synchronization
import Telemetry

/// The program: picks a command, and turns every way of failing into a line for people and an exit status.
package enum Program {
    /// Runs one command line to its end; what the executable's entry calls.
    ///
    /// The command runs on a loop of its own, and the calling thread only waits: an asynchronous entry would let the runtime
    /// make threads before the signals are blocked, and a signal kills the process in any thread that does not block it.
    ///
    /// - Parameters:
    ///   - words: Everything behind the program's name.
    ///   - environment: The variables of the process.
    /// - Returns: The exit status: 0 done, 1 failed, 2 wrong use.
    package static func main(_ words: [String], environment: [String: String]) -> Int32 {
        do throws(IOError) {
            // Before there is anything in memory that a core could hold.
            if !CoreDumps.areAllowed(environment) { try ThisProcess.forbidDumps() }
            if answersSignals(words) { try Application.signals.block() }
            try SignalSet.ignoreBrokenPipes()
            _ = try Machine.raiseDescriptorLimit()
            let loop = try EventLoop(name: "command", logger: .silent)
            try loop.start()
            let status = Atomic<Int32>(1)
            loop.execute { reactor in
                reactor.startTask {
                    status.store(await run(words, environment: environment, console: .standard), ordering: .releasing)
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

    static func run(_ words: [String], environment: [String: String], console: Console) async -> Int32 {
        let arguments: CommandLineArguments
        do {
            arguments = try CommandLineArguments(words, options: options)
        } catch {
            return misuse(error.text, console, of: words.first { !$0.hasPrefix("-") })
        }
        if arguments.command == "help" { return help(arguments.operands, console) }
        guard let name = arguments.command else {
            if arguments.flags.contains(versionOption.name) {
                console.print(ProgramVersion.line)
                return 0
            }
            console.print(HelpText.program)
            return arguments.flags.contains("help") || words.isEmpty ? 0 : 2
        }
        guard let command = CommandTable.all.first(where: { $0.name == name }) else {
            let near =
                Spelling.nearest(to: name, among: CommandTable.all.map(\.name)).map { "; did you mean \($0)?" } ?? ""
            return misuse("no such command: \(name)\(near)", console)
        }
        if arguments.flags.contains("help") {
            console.print(HelpText.of(command))
            return 0
        }
        let allowed = Set((command.options + CommandTable.common).map(\.name))
        if let stranger = arguments.flags.union(arguments.values.keys).subtracting(allowed).min() {
            return misuse("`\(name)` has no option --\(stranger)", console, of: name)
        }
        guard arguments.operands.isEmpty || !command.operands.isEmpty else {
            return misuse("`\(name)` takes no operand", console, of: name)
        }
        return await command.run(CommandInput(arguments: arguments, environment: environment, console: console))
    }

    private static var options: [CommandOption] {
        CommandTable.all.flatMap(\.options) + CommandTable.common + [versionOption]
    }

    /// Without a command, as most programs have it.
    private static let versionOption = CommandOption("version", nil, "print the version and the commit")

    /// Whether the command would lose something if a signal just ended it.
    private static func answersSignals(_ words: [String]) -> Bool {
        // What cannot be read is told by `run`.
        guard let name = (try? CommandLineArguments(words, options: options))?.command else { return false }
        return CommandTable.all.contains { $0.name == name && $0.answersSignals }
    }

    /// `help`, `help COMMAND` and `help settings`.
    private static func help(_ operands: [String], _ console: Console) -> Int32 {
        let command = CommandTable.all.first { $0.name == operands.first }
        switch operands.first {
        case nil: console.print(HelpText.program)
        case "settings": console.print(HelpText.settings)
        case let name?:
            guard let command else { return misuse("no such command: \(name)", console) }
            console.print(HelpText.of(command))
        }
        return 0
    }

    private static func misuse(_ text: String, _ console: Console, of command: String? = nil) -> Int32 {
        let known = CommandTable.all.first { $0.name == command }
        console.complain("sallyport: \(text)\nsee `sallyport \(known.map { $0.name + " " } ?? "")--help`")
        return 2
    }
}
