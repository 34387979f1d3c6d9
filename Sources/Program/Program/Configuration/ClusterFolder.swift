import Cryptography
import EventIO
import Primitives

/// Where a private cluster is kept.
///
/// PostgreSQL refuses to run as root, and the user it runs as instead has no way into root's home. A checkout there must
/// still run, so its cluster, and nothing else, moves to a place that everybody can reach.
enum ClusterFolder {
    /// The folder for the cluster of one data directory.
    ///
    /// - Parameters:
    ///   - isRoot: Whether PostgreSQL will run as another user.
    ///   - shared: Parent of the clusters whose own place is closed; one folder each, named after the data directory.
    /// - Returns: `postgres` in the data directory wherever that can be reached or holds a cluster already.
    static func path(
        dataDirectory: String,
        isRoot: Bool = SystemUser.current.id == 0,
        shared: String = "/var/lib/sallyport"
    ) -> String {
        let own = dataDirectory + "/postgres"
        let isInUse = Files.exists(own + "/data/PG_VERSION")
        guard isRoot, !isInUse, let home = absolute(dataDirectory), isClosed(home) else { return own }
        let name = Hex.encode(Array(SHA256.digest(of: Array(home.utf8)).bytes.prefix(8)))
        return "\(shared)/\(name)/postgres"
    }

    /// The path from the root; `nil` when the working directory is gone.
    private static func absolute(_ path: String) -> String? {
        guard !path.hasPrefix("/") else { return path }
        guard let here = try? Files.resolved(".") else { return nil }
        return here + "/" + (path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
    }

    /// Whether a folder on the way is closed to other users; what does not exist yet will be open.
    private static func isClosed(_ path: String) -> Bool {
        var folder = path
        while folder != "/" {
            if let mode = try? Files.permissions(folder).mode, mode & 0o001 == 0 { return true }
            folder = Files.parent(of: folder)
        }
        return false
    }
}
