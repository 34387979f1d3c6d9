import CLinux
import Glibc
import Synchronization

/// What a child process shall be.
package struct ChildPlan: Sendable {
    /// Where a stream of the child goes to or comes from.
    package enum Stream: Sendable {
        /// The parent's own.
        case inherited
        /// Nowhere: reads as empty, writes vanish.
        case discarded
        /// The end of a file, which is made with mode 0600 where it is missing.
        case appended(path: String)
    }

    /// A path; the search path of the shell is not used.
    package var executable: String
    /// Without the program's name.
    package var arguments: [String]
    /// Names and values; nothing is inherited.
    package var environment: [String: String]
    /// `nil` keeps the parent's.
    package var workingDirectory: String?
    /// Drops to this user and its group alone; only the superuser may.
    package var user: SystemUser?
    /// Whether it leads a session of its own, so that the terminal's signals do not reach it.
    package var startsSession = false
    /// Sent to the child when this process ends in whatever way; `nil` lets it live on.
    package var deathSignal: Signal?
    /// Standard output.
    package var output = Stream.inherited
    /// Standard error.
    package var error = Stream.inherited

    /// A child with inherited output, no input and nothing in its environment.
    ///
    /// - Parameters:
    ///   - executable: A path; the search path of the shell is not used.
    ///   - arguments: Without the program's name.
    package init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts the child.
    ///
    /// Blocks until the new program runs or has failed to; any thread may ask. Everything but the three streams is closed in
    /// it.
    ///
    /// - Returns: The running child. It goes on when the value goes out of life.
    /// - Throws: `IOError` with the step that failed: `execve ENOENT`.
    package func start() throws(IOError) -> ChildProcess {
        let output = try open(output)
        let error = try open(error)
        return try start(output: output.raw, error: error.raw)
    }

    /// Runs the child to its end on the calling thread, not on a loop, and collects what it says.
    ///
    /// - Parameters:
    ///   - limit: The most of its output to return, in bytes.
    /// - Returns: How it ended and the beginning of what it wrote to both streams.
    /// - Throws: `IOError`; `timedOut` after the deadline.
    package func run(
        atMost deadline: Duration,
        limit: Int = 65_536
    ) throws(IOError) -> (exit: ChildProcess.Exit, output: [UInt8]) {
        let memory = Descriptor(owning: try systemCall("memfd_create") { unsafe clinux_memory_file("output") })
        let child = try start(output: memory.raw, error: memory.raw)
        guard let exit = try child.wait(atMost: deadline) else {
            try child.send(.kill)
            _ = try child.wait()
            throw IOError(code: IOError.timedOut, operation: "waitid")
        }
        let raw = memory.raw
        let output = try unsafe Files.read(limit: limit) { buffer, offset in
            unsafe pread(raw, buffer.baseAddress, buffer.count, offset)
        }
        return (exit, output)
    }

    private func open(_ stream: Stream) throws(IOError) -> Descriptor {
        switch stream {
        case .inherited: Descriptor(owning: -1)
        case .discarded:
            Descriptor(owning: try systemCall("open") { unsafe Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC) })
        case .appended(let path):
            Descriptor(
                owning: try systemCall("open") {
                    unsafe Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
                }
            )
        }
    }

    private func start(output: Int32, error: Int32) throws(IOError) -> ChildProcess {
        let input = Descriptor(owning: try systemCall("open") { unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) })
        let (inputRaw, plan) = (input.raw, self)
        guard deathSignal != nil else {
            return try plan.spawn(input: inputRaw, output: output, error: error)
        }
        // The kernel sends a death signal when the *thread* that has forked ends, so that thread must be one that never does.
        return try ChildPlan.spawnThread.get().runBlocking {
            Result { () throws(IOError) in try plan.spawn(input: inputRaw, output: output, error: error) }
        }.get()
    }

    private static let spawnThread = Result { () throws(IOError) in try WorkerThread(name: "spawn") }

    private func spawn(input: Int32, output: Int32, error: Int32) throws(IOError) -> ChildProcess {
        let arguments = CStringList([executable] + arguments)
        let environment = CStringList(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        let paths = CStringList([executable, workingDirectory ?? ""])
        defer { withExtendedLifetime((arguments, environment, paths)) {} }
        var plan = unsafe clinux_spawn_plan()
        unsafe plan.executable = UnsafePointer(paths.pointer[0])
        unsafe plan.arguments = UnsafePointer(arguments.pointer)
        unsafe plan.environment = UnsafePointer(environment.pointer)
        if workingDirectory != nil { unsafe plan.working_directory = UnsafePointer(paths.pointer[1]) }
        if let user {
            unsafe plan.changes_user = 1
            unsafe plan.user = user.id
            unsafe plan.group = user.groupID
        }
        unsafe plan.new_session = startsSession ? 1 : 0
        unsafe plan.death_signal = deathSignal?.number ?? 0
        unsafe plan.input = input
        unsafe plan.output = output
        unsafe plan.error = error
        var pidfd: Int32 = -1
        var step: UnsafePointer<CChar>?
        let pid = unsafe clinux_spawn(&plan, &pidfd, &step)
        guard pid > 0 else { throw IOError(code: errno, operation: unsafe ChildPlan.operation(step)) }
        return ChildProcess(pid: pid, pidfd: Descriptor(owning: pidfd))
    }

    private static func operation(_ step: UnsafePointer<CChar>?) -> StaticString {
        guard let step = unsafe step else { return "fork" }
        let known: [StaticString] = [
            "pipe2", "sigprocmask", "setsid", "setuid", "prctl", "dup2", "close_range", "chdir", "execve", "pidfd_open",
        ]
        let name = unsafe String(cString: step)
        return known.first { $0.description == name } ?? "fork"
    }
}

/// Strings in C's form, with a null pointer behind the last.
@safe private final class CStringList {
    let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        unsafe pointer = UnsafeMutablePointer.allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() {
            unsafe pointer.advanced(by: index).initialize(to: strdup(string))
        }
        unsafe pointer.advanced(by: count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { unsafe free(pointer[index]) }
        unsafe pointer.deallocate()
    }
}
