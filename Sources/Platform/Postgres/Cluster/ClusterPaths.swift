import Primitives

/// Where the parts of a private cluster are.
struct ClusterPaths: Equatable {
    /// Holds everything else; absolute, without symbolic links.
    let base: String

    /// Part of the socket's name.
    static let port = 5432
    /// The longest path of a socket that the kernel takes, without the NUL behind it.
    static let longestSocketPath = 107

    /// PostgreSQL's own folder.
    var data: String { base + "/data" }
    /// `data` while `initdb` fills it, so that a half-made one is never taken for a whole one.
    var draft: String { base + "/data.new" }
    /// What the server writes to standard error.
    var log: String { base + "/postgres.log" }
    /// Held by the process that runs the cluster.
    var lock: String { base + "/lock" }

    /// The folder of the socket: in the base, or where that path is too long, in `/tmp` under a name derived from it.
    var socketFolder: String {
        let inside = base + "/socket"
        let isShort = "\(inside)/.s.PGSQL.\(ClusterPaths.port)".utf8.count <= ClusterPaths.longestSocketPath
        guard !isShort else { return inside }
        // FNV-1a: the same folder for the same base in every process, which Swift's own hash does not promise.
        let hash = base.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "/tmp/sallyport-\(String(hash, radix: 16))"
    }

    /// The connection URI of a database in the cluster.
    ///
    /// - Returns: A URI without a password.
    func uri(database: String) -> String {
        let name = ClusterPaths.percentEncoded(database)
        let host = ClusterPaths.percentEncoded(socketFolder)
        return "postgresql://\(PrivateCluster.role)@/\(name)?host=\(host)&port=\(ClusterPaths.port)"
    }

    private static func percentEncoded(_ text: String) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                output.append(byte)
            default:
                output.append(UInt8(ascii: "%"))
                output += Array(Hex.encode([byte]).utf8)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
