package import EventIO
import Primitives

/// One folder in `/tmp` for everything that the tests of this process leave behind while they run.
///
/// It goes away at the end of the process. Where that was killed, the next process of tests finds the folder unlocked and
/// removes it.
package enum ProcessFolder {
    private static let prefix = "sallyport-test-"
    private static let held = Lock<Holder?>(nil)

    /// A new, empty folder with mode 0700, whose name no other call returns.
    ///
    /// - Returns: A path that starts with a slash.
    /// - Throws: `IOError`.
    package static func makeFolder(_ name: String) throws(IOError) -> String {
        try Files.makeTemporaryDirectory(prefix: "\(path())/\(name)-")
    }

    private static func path() throws(IOError) -> String {
        try held.withLock { held throws(IOError) in
            if let held { return held.path }
            sweep()
            let made = try Holder()
            held = made
            return made.path
        }
    }

    /// Removes what test processes left behind that were killed; a living one holds its lock.
    private static func sweep() {
        for name in (try? Files.list("/tmp")) ?? [] where name.hasPrefix(prefix) {
            let folder = "/tmp/\(name)"
            guard let owner = try? Files.permissions(folder).owner, owner == SystemUser.current,
                Files.exists("\(folder)/lock"), (try? FileLock("\(folder)/lock")) != nil
            else { continue }
            try? Files.removeTree(folder)
        }
    }

    /// The folder, and the lock that says that its process lives.
    private final class Holder: Sendable {
        let path: String
        private let lock: FileLock

        init() throws(IOError) {
            let path = try Files.makeTemporaryDirectory(prefix: "/tmp/\(prefix)")
            lock = try FileLock(path + "/lock")
            self.path = path
            // A database server of another user must get through.
            try Files.setPermissions(path, mode: 0o711)
            ThisProcess.atExit { try? Files.removeTree(path) }
        }
    }
}
