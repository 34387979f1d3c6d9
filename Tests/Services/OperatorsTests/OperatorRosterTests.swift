import EventIO
import FeatureTestKit
import HTTPCore
import Operations
import Primitives
import ServerCore
import Settings
import TestKit
import Testing

@testable import Operators

@Suite("The file of the staff's keys")
struct OperatorRosterTests {
    private static let hash = String(repeating: "0a", count: 32)
    private static let other = String(repeating: "0b", count: 32)

    private func roster(_ text: String) throws -> OperatorRoster { try OperatorRoster(Array(text.utf8)) }

    @Test("A line is a role, a hash and a name with blanks; remarks and empty lines are passed over, and so are CRs")
    func lines() throws {
        let text = "# staff\r\n\r\nchange \(Self.hash) Hanako  Yamada\r\nview \(Self.other) 太郎"
        let members = try roster(text).members
        #expect(members.map(\.name) == ["Hanako  Yamada", "太郎"])
        #expect(members.map(\.role) == [.change, .view])
        #expect(members.map(\.hash.hexadecimal) == [Self.hash, Self.other])
        #expect(try roster("").members.isEmpty)
    }

    @Test(
        "Anything else is refused by the number of its line, and not repeated",
        arguments: [
            "admin HASH Name", "change HASH", "change HASH ", "change  HASH Name", " change HASH Name",
            "change HASH\tName",
            "change HASHab Name", "change sok_secret Name", "Change HASH Name", "change HASH Name ",
            "change HASH \u{202E}Name",
            "change HASH \u{7}", "change HASH \(String(repeating: "x", count: 101))", "change\u{301} HASH Name",
            "\u{FEFF}change HASH Name",
        ]
    )
    func malformed(_ line: String) throws {
        let text = "\n" + line.replacing("HASH", with: Self.hash)
        let error = try #require(throws: ConfigurationError.self) { try roster(text) }
        #expect(error.problems == ["line 2: not `ROLE HASH NAME`, as `sallyport operators` prints it"])
    }

    @Test("A name or a key that stands twice is refused, and so is what is not UTF-8")
    func repeated() {
        let name = "view \(Self.hash) A\nchange \(Self.other) A"
        let key = "view \(Self.hash) A\nchange \(Self.hash) B"
        for (text, problem) in [(name, "the name"), (key, "the key")] {
            let error = #expect(throws: ConfigurationError.self) { try roster(text) }
            #expect(error?.problems == ["line 2: \(problem) stands in a line before"])
        }
        #expect(throws: ConfigurationError.self) { try OperatorRoster([0x23, 0xFF]) }
        let many = (0...OperatorRoster.limit).map { "view \(hash(number: $0)) n\($0)" }.joined(separator: "\n")
        #expect(throws: ConfigurationError.self) { try roster(many) }
    }

    private func hash(number: Int) -> String { OperatorKey.hash(of: "\(number)").hexadecimal }

    @Test("Names that look alike are different people: they are compared by octets")
    func octets() throws {
        let key = "sok_one"
        let hash = OperatorKey.hash(of: key).hexadecimal
        let roster = try roster("view \(hash) caf\u{E9}\nview \(Self.hash) cafe\u{301}")
        #expect(roster.member(named: "caf\u{E9}", showing: key)?.hash.hexadecimal == hash)
        #expect(roster.member(named: "cafe\u{301}", showing: key) == nil)
    }

    @Test("The empty key opens nothing, whoever it is shown for")
    func emptyKey() throws {
        let roster = try roster("view \(Self.hash) A")
        #expect(roster.member(named: "A", showing: "") == nil)
        #expect(roster.member(named: "B", showing: "") == nil)
    }

    @Test(
        "A file that others may read stops the start, and a reload keeps what there was",
        arguments: [0o644, 0o604, 0o646]
    )
    func mode(_ mode: UInt32) throws {
        let path = try ProcessFolder.makeFolder("roster") + "/keys"
        try Files.write(path, Array("view \(Self.hash) A\n".utf8), mode: mode)
        let error = try #require(throws: ConfigurationError.self) { try OperatorRoster.read(path) }
        #expect(error.problems.count == 1)
        #expect(error.problems[0].hasPrefix("operators.keys_file: \(path) "))
    }

    @Test("A person who is taken out of the file is signed out by the next reload, and a broken file changes nothing")
    func reload() async throws {
        try await StaffProgram.run { staff in
            func status() async throws -> Int {
                staff.signedIn()
                return try await staff.ask(.get, "/console/board").status
            }
            #expect(try await status() == 200)
            try Files.write(staff.keysPath, Array("broken".utf8), mode: 0o600)
            #expect(staff.program.reload() == ["operators"])
            #expect(try await status() == 200)
            let line = OperatorRoster.Member(name: "Somebody", role: .view, hash: OperatorKey.hash(of: "x")).line
            try Files.write(staff.keysPath, Array(line.utf8), mode: 0o600)
            #expect(staff.program.reload() == [])
            #expect(try await status() == 303)
        }
    }

    @Test("A person whose role is taken away may look only, in the session that is open")
    func roleTaken() async throws {
        try await StaffProgram.run { staff in
            let hash = OperatorKey.hash(of: StaffProgram.key)
            let line = OperatorRoster.Member(name: StaffProgram.name, role: .view, hash: hash).line
            try Files.write(staff.keysPath, Array(line.utf8), mode: 0o600)
            #expect(staff.program.reload() == [])
            staff.signedIn()
            let answer = try await staff.ask(.get, "/console/board/secrets")
            #expect(answer.failure == "operator_role_missing")
        }
    }
}

@Suite("Checks of the staff's pages")
struct OperatorChecksTests {
    private static let line = "view \(String(repeating: "0a", count: 32)) A"

    private static func planted(_ content: String) -> @Sendable (inout SoundSettings) -> Void {
        { settings in
            settings.texts["operators.keys_file"] = "/etc/sallyport/operators"
            settings.files["operators.keys_file"] = .content(Secret(Array(content.utf8)))
        }
    }

    static let mistakes = [
        PlantedMistake("nobody in the file", "D60", .warning, at: "operators.keys_file", planted("# nobody\n")),
        PlantedMistake("a line that is none", "D60", at: "operators.keys_file", planted("view A")),
        PlantedMistake("a file that cannot be read", "D60", at: "operators.keys_file") { settings in
            settings.texts["operators.keys_file"] = "/etc/sallyport/operators"
            settings.files["operators.keys_file"] = .unreadable("no such file")
        },
        PlantedMistake("no listener", "D60", .warning, at: "admin_listen") { settings in
            planted(line)(&settings)
            settings.texts["admin_listen"] = ""
        },
        PlantedMistake("keys in clear", "D60", at: "admin.base_url") { settings in
            planted(line)(&settings)
            settings.texts["admin_listen"] = "0.0.0.0:8444"
        },
        PlantedMistake("an origin without TLS", "D60", at: "admin.base_url") { settings in
            planted(line)(&settings)
            settings.texts["admin_listen"] = "127.0.0.1:8444"
            settings.texts["admin.base_url"] = "http://console.example.com"
        },
    ]

    @Test("A mistake is found and named", arguments: mistakes)
    func finds(_ mistake: PlantedMistake) throws {
        let (features, settings) = try mistake.settings().examined(FeatureSet([OperatorPages.self]))
        #expect(mistake.complaints(features.findings(settings).filter { $0.check == "D60" }) == [])
    }

    @Test(
        "Nothing is found behind a proxy with TLS, on this machine, and where there are no such pages",
        arguments: [
            ["admin_listen": "127.0.0.1:8444"], ["admin_listen": "[::1]:8444"],
            ["admin_listen": "0.0.0.0:8444", "admin.base_url": "https://console.example.com"],
            ["admin_listen": "0.0.0.0:8444", "admin.base_url": "http://localhost:8444"],
        ]
    )
    func sound(_ texts: [String: String]) throws {
        var settings = try SoundSettings()
        settings.texts.merge(texts) { $1 }
        let feature = FeatureSet([OperatorPages.self])
        let off = settings.examined(feature)
        #expect(off.features.findings(off.settings).filter { $0.check == "D60" }.isEmpty)
        Self.planted(Self.line)(&settings)
        let on = settings.examined(feature)
        #expect(on.features.findings(on.settings).filter { $0.check == "D60" } == [])
    }
}
