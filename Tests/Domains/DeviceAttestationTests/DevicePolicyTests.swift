import DeviceAttestation
import Foundation
import StrictJSON
import TestKit
import Testing

@Suite("Policies of devices")
struct DevicePolicyTests {
    @Test func `without a file are those of the house`() throws {
        let policies = DevicePolicies.usual
        #expect(
            policies.policies.map(\.purpose) == ["free-trial", "ticket-gift", "purchase", "sign-up", "refund-abuse"]
        )
        let trial = try #require(policies.policy(of: "free-trial"))
        #expect(
            trial.accepted == [.new, .known] && trial.mark == .trialUsed && trial.isScarce && trial.isOncePerAccount
        )
        #expect(trial.unavailable == .later && trial.unsupported == .deny)
        let purchase = try #require(policies.policy(of: "purchase"))
        #expect(!purchase.accepted.contains(.blocked) && purchase.mark == .paid && !purchase.isScarce)
        #expect(policies.policy(of: "refund-abuse")?.decides == false)
        #expect(policies.policy(of: "Free-Trial") == nil && policies.mark(of: "nothing") == nil)
        #expect(policies.mark(of: "trial-started") == .trialUsed && policies.mark(of: "refund-abuse") == .blocked)
    }

    @Test func `are read from a file`() throws {
        let policies = try DevicePolicies.read(
            Array(
                #"""
                {"version": 7,
                 "meaning": {"version": 3, "states": [
                   {"bit0": false, "bit1": false, "state": "known"}, {"bit0": true, "bit1": false, "state": "trial-used"},
                   {"bit0": false, "bit1": true, "state": "blocked"}, {"bit0": true, "bit1": true, "state": "blocked"}]},
                 "events": {"started": "trial-used"},
                 "policies": {
                   "trial": {"accept": ["new", "known"], "unavailable": "later", "unsupported": "deny", "write": "trial-used",
                             "ageAfterMonths": 24, "oncePerAccount": true},
                   "buy": {"refuse": ["blocked"], "unavailable": "allow-and-review", "unsupported": "allow"},
                   "monthly": {"accept": ["new", "known", "trial-used", "paid"], "refuse": ["blocked"], "everyMonths": 1,
                               "unavailable": "deny", "unsupported": "deny", "write": "known"},
                   "fraud": {"write": "blocked"}}}
                """#.utf8
            )
        )
        #expect(policies.version == 7 && policies.meaning.version == 3)
        #expect(policies.mark(of: "started") == .trialUsed && policies.events.count == 1)
        #expect(policies.policy(of: "trial")?.ageAfterMonths == 24)
        #expect(policies.policy(of: "buy")?.accepted == [.new, .known, .trialUsed, .paid])
        #expect(policies.policy(of: "monthly")?.everyMonths == 1)
        #expect(policies.policy(of: "fraud")?.decides == false)
    }

    @Test func `of the guide are good`() throws {
        let guide = try String(contentsOfFile: ProjectFolder.path("docs/device-policies.md"), encoding: .utf8)
        let files = guide.split(separator: "```json\n").dropFirst().compactMap { $0.split(separator: "```").first }
        #expect(files.count == 4)
        for file in files { #expect(throws: Never.self) { try DevicePolicies.read(Array(file.utf8)) } }
    }

    @Test func `of a file are refused with all problems at once`() {
        let file = #"""
            {"version": 0, "extra": 1,
             "meaning": {"version": "x", "states": [
               {"bit0": 0, "bit1": false, "state": "known"}, {"bit0": true, "bit1": false, "state": "gone"}]},
             "events": {"Fraud!": "blocked", "a": "b"},
             "policies": {
               "trial": {"accept": ["new", "known", "new"], "refuse": ["known"], "unavailable": "maybe",
                         "ageAfterMonths": 0, "oncePerAccount": 1},
               "gift": {"accept": [], "unavailable": "deny", "unsupported": "allow", "everyMonths": 1},
               "none": {}}}
            """#
        let expected: [String] = [
            "the file: extra is not known", "version: not a whole number", "meaning.version: not a whole number",
            "meaning.states[0]: needs bit0 and bit1", "meaning.states[1].state: not one of",
            "events: Fraud! is no name",
            "events.a: not one of", "policies.trial.accept: new stands there twice",
            "policies.trial: known stands in both of", "policies.trial: paid stands in neither of",
            "policies.trial.unavailable: not one of", "policies.trial.unsupported: missing",
            "policies.trial.ageAfterMonths: not a whole number", "policies.trial.oncePerAccount: not true or false",
            "policies.gift.accept: names no state", "policies.gift.everyMonths: counts from",
            "policies.none: decides nothing",
        ]
        let problems = Self.problems(file)
        for start in expected { #expect(problems.contains { $0.hasPrefix(start) }, "\(start) in \(problems)") }
    }

    private static func problems(_ file: String) -> [String] {
        do throws(DevicePolicyError) {
            _ = try DevicePolicies.read(Array(file.utf8))
            return []
        } catch {
            return error.problems
        }
    }

    @Test(arguments: [
        "", "{", "[]", "1", #"{"version":1}"#, #"{"version":1,"policies":{}}"#, #"{"version":1,"policies":[1]}"#,
    ])
    func `are no other text`(file: String) {
        #expect(!Self.problems(file).isEmpty)
    }

    @Test func `do not let an app that says it has no token do better than a used device`() {
        for word in ["allow", "allow-and-review"] {
            let file =
                #"{"version":1,"policies":{"t":{"accept":["new","known"],"unavailable":"allow","unsupported":"\#(word)"}}}"#
            #expect(Self.problems(file).map { $0.hasPrefix("policies.t.unsupported") } == [true])
        }
    }

    @Test func `write no state that no bits stand for`() {
        let table = #"""
            {"version":1,"states":[{"bit0":false,"bit1":false,"state":"known"},{"bit0":true,"bit1":false,"state":"known"},
            {"bit0":false,"bit1":true,"state":"known"},{"bit0":true,"bit1":true,"state":"blocked"}]}
            """#
        let file = #"{"version":1,"meaning":\#(table),"events":{"e":"paid"},"policies":{"p":{"write":"trial-used"}}}"#
        #expect(
            Self.problems(file) == [
                "events.e: no bits stand for paid", "policies.p.write: no bits stand for trial-used",
            ]
        )
    }

    @Test func `need a name for each of the four patterns`() {
        let rows = [
            (
                #"{"bit0":false,"bit1":false,"state":"known"}"#,
                "meaning.states: needs a row for each of the four patterns of bits"
            ),
            (
                #"{"bit0":false,"bit1":false,"state":"new"}"#,
                "meaning.states[0].state: new is a device whose bits were never set"
            ),
        ]
        for (row, problem) in rows {
            let file = #"{"version":1,"meaning":{"version":1,"states":[\#(row)]},"policies":{"p":{"write":"known"}}}"#
            #expect(Self.problems(file).contains(problem))
        }
    }
}
