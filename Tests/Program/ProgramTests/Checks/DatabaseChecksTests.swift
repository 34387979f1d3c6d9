import FeatureTestKit
import Operations
import Primitives
import Testing

@testable import Program
@testable import ServerCore

@Suite("A database")
struct DatabaseTests {
    private func lines(
        mayRewriteTrail: Bool = false,
        hasLockTimeout: Bool = true,
        aheadSeconds: Int64 = 0,
        partitionDaysLeft: Int = 10,
        otherServers: Int = 0,
        waitsForStandby: Bool = false,
        findings: [Finding] = [],
        _ change: (inout ExaminedDatabase) -> Void = { _ in }
    ) -> [String] {
        var database = ExaminedDatabase.sound(at: SoundSettings.present)
        database.rights.mayRewriteTrail = mayRewriteTrail
        database.rights.hasLockTimeout = hasLockTimeout
        database.rights.waitsForStandby = waitsForStandby
        database.margin = PostgresPartitionStore.Margin(
            table: "merchant_order",
            days: partitionDaysLeft,
            isMissing: false
        )
        database.otherServers = otherServers
        database.findings = findings
        change(&database)
        return DatabaseChecks.findings(database, now: SoundSettings.present + .seconds(aheadSeconds)).map {
            "\($0.check) \($0.severity.rawValue) \($0.message)"
        }
    }

    @Test func `as it should be has no finding`() {
        #expect(lines() == [])
        #expect(lines(aheadSeconds: 2) == [])
    }

    @Test func `whose trail the role may change is an error`() {
        #expect(lines(mayRewriteTrail: true) == ["D28 error The role shop may change the audit trail."])
    }

    @Test func `whose role may call what changes the trail is an error that names it`() {
        let found = lines { $0.rights.functionsBeyond = "tidy(interval)" }
        #expect(
            found == ["D28 error The role shop may call functions that can change the audit trail: tidy(interval)."]
        )
    }

    @Test func `whose role may put functions beside the program's is an error`() {
        #expect(
            lines { $0.rights.mayCreate = true } == [
                "D28 error The role shop may make functions and tables in schema public."
            ]
        )
    }

    @Test func `has what features find in it before the time`() {
        let found = lines(aheadSeconds: 31, partitionDaysLeft: 0, findings: [Finding("D28", .error, "x", "Odd rows.")])
        #expect(found.count == 3 && found[1] == "D28 error Odd rows.", "\(found)")
    }

    @Test func `whose login only lays its rights down is a warning`() {
        let found = lines { $0.rights.mightyLogin = "owner" }
        #expect(
            found == ["D28 warning The program logs in as owner, a role that can take back the rights it has given up."]
        )
    }

    @Test func `on another machine that nothing verifies is a warning`() {
        #expect(
            lines { $0.isWayUnverified = true }.map { String($0.prefix(41)) } == [
                "D28 warning The database is on another ma"
            ]
        )
    }

    @Test(arguments: [("off", 1), ("local", 1), ("on", 0), ("remote_write", 0), ("remote_apply", 0)])
    func `that would acknowledge what a crash undoes is told of`(commit: String, count: Int) {
        let found = lines { $0.rights.unpinnedCommit = commit }
        #expect(found.count == count)
        #expect(found.allSatisfy { $0.hasPrefix("D28 note synchronous_commit is \(commit) ") })
    }

    @Test func `whose partitions end within a week is an error`() {
        #expect(lines(partitionDaysLeft: 7) == [])
        #expect(
            lines(partitionDaysLeft: 6) == [
                "D28 error Inserts into merchant_order find a partition for 6 more days only."
            ]
        )
    }

    @Test func `that others follow without being waited for is a warning`() {
        let warning = "D28 warning Replication is asynchronous"
        #expect(lines(otherServers: 1).map { String($0.prefix(warning.count)) } == [warning])
        #expect(lines(otherServers: 1, waitsForStandby: true) == [])
        #expect(lines(waitsForStandby: true) == [])
    }

    @Test func `without a lock timeout is a warning`() {
        #expect(lines(hasLockTimeout: false).map { String($0.prefix(12)) } == ["D28 warning "])
    }

    @Test(arguments: [(Int64(3), "D28 note "), (-31, "D28 warning "), (31, "D28 warning ")])
    func `with another clock is told by how much`(ahead: Int64, start: String) {
        let found = lines(aheadSeconds: ahead)
        #expect(found.count == 1)
        #expect(found[0].hasPrefix(start))
        #expect(found[0].contains("\(ahead.magnitude) s \(ahead > 0 ? "ahead of" : "behind") the database's"))
    }

    @Test func `that does not answer is one line`() {
        #expect(!DatabaseChecks.unreachable("no route\nto host").line.contains("\n"))
    }
}

extension ExaminedDatabase {
    /// A database as it should be.
    static func sound(at now: WallTime) -> ExaminedDatabase {
        ExaminedDatabase(
            rights: DatabaseRights(
                role: "shop",
                mayRewriteTrail: false,
                hasLockTimeout: true,
                now: now,
                standbys: 0,
                waitsForStandby: false,
                functionsBeyond: "",
                mayCreate: false,
                mightyLogin: "",
                unpinnedCommit: "on"
            ),
            margin: PostgresPartitionStore.Margin(table: "event", days: 10, isMissing: false)
        )
    }
}
