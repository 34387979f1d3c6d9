import EventIO
import Glibc
import Postgres
import Primitives
import TestKit
import Testing

/// A folder that everybody may enter; removed with the last reference.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = try ProcessFolder.makeFolder("pg")
        try Files.setPermissions(path, mode: 0o711)
    }

    deinit {
        remove()
    }

    /// Removes it now; for one that lives as long as the process.
    func remove() {
        try? Files.removeTree(path)
    }

    /// Writes a file of text.
    func write(_ name: String, _ text: String) throws {
        try Files.write("\(path)/\(name)", Array(text.utf8), mode: 0o644)
    }
}

/// A private cluster that several threads may ask.
final class ClusterBox: Sendable {
    private let cluster: Lock<PrivateCluster>

    init(_ folder: String, settings: ClusterSettings = .tests()) {
        cluster = Lock(PrivateCluster(dataDirectory: folder, settings: settings))
    }

    func start() throws(PostgresError) -> String {
        try cluster.withLock { cluster throws(PostgresError) in try cluster.start() }
    }

    func stop() {
        cluster.withLock { $0.stop() }
    }

    /// The number of the server's process.
    var process: Int32? { cluster.withLock { $0.process?.pid } }
}

/// A Unix socket that takes connections into its queue and never answers.
struct SilentServer {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            unsafe bytes.copyBytes(from: path.utf8.prefix(bytes.count - 1))
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        let isListening = bound == 0 && listen(descriptor, 16) == 0
        try #require(isListening)
    }

    func close() {
        Glibc.close(descriptor)
    }
}
