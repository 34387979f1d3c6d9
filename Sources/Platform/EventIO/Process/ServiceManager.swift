import CLinux
import Glibc
package import Primitives

/// The service manager that has started this process and asks to hear from it: systemd, by the protocol of sd_notify(3).
///
/// The variables of the environment are read and left alone; children are started with an environment of their own, so none of
/// them speaks for this process.
package struct ServiceManager: Sendable {
    /// What it is told.
    package enum State: Sendable, Equatable {
        /// The start, or a reload, is complete.
        case ready
        /// The settings are read again, since a point of the monotonic clock; `ready` ends it.
        case reloading(since: MonotonicTime)
        /// The process has begun to stop.
        case stopping
        /// The process still does its work: what the watchdog waits for.
        case alive
    }

    /// How long the manager waits for `alive` before it takes the process for hung; `nil` where it does not watch this process.
    package let watchdog: Duration?
    /// The name of the socket; an abstract one begins with a zero byte.
    private let address: [UInt8]

    /// The manager that an environment names.
    ///
    /// - Returns: `nil` where none listens, or at an address of another kind than a Unix socket.
    package init?(_ environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
            (2...SocketAddress.longestPath).contains(name.utf8.count)
        else { return nil }
        address = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
        watchdog = ServiceManager.watchdog(environment)
    }

    private static func watchdog(_ environment: [String: String]) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0
        else { return nil }
        // Without the number of a process it means every one that has the variables.
        if let process = environment["WATCHDOG_PID"], process != "\(getpid())" { return nil }
        return .microseconds(microseconds)
    }

    /// Tells the manager a state, a sentence about it, or both.
    ///
    /// A manager that takes nothing in holds the caller up for a second at most; for `alive`, which is repeated, not at all.
    ///
    /// - Parameters:
    ///   - state: `nil` for the sentence alone.
    ///   - status: Shown to operators; a line break ends it.
    /// - Throws: `IOError` where the manager has not got it.
    package func tell(_ state: State?, status: String? = nil) throws(IOError) {
        let message = Array(ServiceManager.message(state, status: status).utf8)
        let waits: Int32 = state == .alive ? 0 : 1
        try systemCall("sendto") {
            unsafe address.withUnsafeBytes { name in
                unsafe message.withUnsafeBytes { bytes in
                    unsafe clinux_send_datagram(name.baseAddress, name.count, bytes.baseAddress, bytes.count, waits)
                }
            }
        }
    }

    /// The lines of a message.
    static func message(_ state: State?, status: String?) -> String {
        var lines: [String] =
            switch state {
            case .ready: ["READY=1"]
            case .reloading(let time): ["RELOADING=1", "MONOTONIC_USEC=\(time.microseconds)"]
            case .stopping: ["STOPPING=1"]
            case .alive: ["WATCHDOG=1"]
            case nil: []
            }
        if let status { lines.append("STATUS=" + status.prefix { !$0.isNewline }) }
        return lines.joined(separator: "\n")
    }
}
