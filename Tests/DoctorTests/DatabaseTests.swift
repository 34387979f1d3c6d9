import Doctor
import Primitives
import Testing

@Suite("A database")
struct DatabaseTests {
    private func lines(
        mayRewriteTrail: Bool = false,
        hasLockTimeout: Bool = true,
        aheadSeconds: Int64 = 0,
        partitionDaysLeft: Int = 10,
        otherServers: Int = 0,
        waitsForStandby: Bool = false
    ) -> [String] {
        var facts = DatabaseChecks.Facts(
            role: "shop",
            mayRewriteTrail: mayRewriteTrail,
            hasLockTimeout: hasLockTimeout,
            time: present,
            partitionDaysLeft: partitionDaysLeft,
            partitionTable: "merchant_order"
        )
        facts.otherServers = otherServers
        facts.waitsForStandby = waitsForStandby
        return DatabaseChecks.findings(facts, now: present + .seconds(aheadSeconds)).map {
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
