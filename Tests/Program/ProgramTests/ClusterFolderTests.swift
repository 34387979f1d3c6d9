import EventIO
import TestKit
import Testing

@testable import Program

@Suite struct `The folder of a private cluster` {
    @Test func `is in the data directory for anybody but root`() async throws {
        try await withTemporaryFolder { folder in
            try Files.setPermissions(folder, mode: 0o700)
            #expect(ClusterFolder.path(dataDirectory: folder, isRoot: false, shared: "/s") == folder + "/postgres")
        }
    }

    @Test func `is in root's data directory where everybody can pass`() async throws {
        try await withTemporaryFolder { folder in
            try Files.setPermissions(folder, mode: 0o755)
            let data = folder + "/not/there/yet"
            #expect(ClusterFolder.path(dataDirectory: data, isRoot: true, shared: "/s") == data + "/postgres")
        }
    }

    @Test func `moves out of a closed folder, each to a place of its own, the same every time`() async throws {
        try await withTemporaryFolder { folder in
            try Files.setPermissions(folder, mode: 0o700)
            let first = ClusterFolder.path(dataDirectory: folder + "/var", isRoot: true, shared: "/s")
            let second = ClusterFolder.path(dataDirectory: folder + "/other", isRoot: true, shared: "/s")
            #expect(first.hasPrefix("/s/") && first.hasSuffix("/postgres"))
            #expect(first != second)
            try Files.makeDirectory(folder + "/var", mode: 0o755)
            #expect(ClusterFolder.path(dataDirectory: folder + "/var", isRoot: true, shared: "/s") == first)
        }
    }

    @Test func `stays where a cluster is already`() async throws {
        try await withTemporaryFolder { folder in
            try Files.setPermissions(folder, mode: 0o700)
            try Files.makeDirectory(folder + "/postgres/data", mode: 0o755)
            #expect(ClusterFolder.path(dataDirectory: folder, isRoot: true, shared: "/s") != folder + "/postgres")
            try Files.write(folder + "/postgres/data/PG_VERSION", Array("15".utf8))
            #expect(ClusterFolder.path(dataDirectory: folder, isRoot: true, shared: "/s") == folder + "/postgres")
        }
    }
}
