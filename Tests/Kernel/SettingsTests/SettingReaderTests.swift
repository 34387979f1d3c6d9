import EventIO
import Primitives
import StrictJSON
import Testing

@testable import Settings

/// Settings of every kind, as a feature has them.
private struct Sample {
    enum Mode: String, CaseIterable { case open, shut }

    let address: SocketAddress?
    let name: String
    let password: Secret<String>?
    let folder: String
    let key: String
    let certificate: String
    let count: Int
    let pause: Duration
    let isOn: Bool
    let mode: Mode
    let level: Mode
    let hosts: [String]
    let items: [String?]
    let allowsCores: Bool

    init(_ read: inout SettingReader) {
        address = read.address("listen", "127.0.0.1:80", "where to listen")
        name = read.text("sample.name", "Anna", "a name")
        password = read.secret("sample.password", "a password")
        folder = read.folder("sample.folder", "./var", "a folder")
        key = read.secretFile("sample.key", "a key")
        certificate = read.file("sample.certificate", "a certificate")
        count = read.number("sample.count", 2...9, 3, "a number")
        pause = read.duration("sample.pause", 0...7200, .seconds(90), "a pause")
        isOn = read.flag("sample.on", true, "a switch")
        mode = read.within(.doors) { $0.choice("sample.mode", Mode.allCases, .open, "a mode") }
        level = read.within(.doors) { [mode] read in
            read.choice("sample.level", Mode.allCases, otherwise: mode, "empty: as the mode")
        }
        hosts = read.list("sample.hosts", "a, b", "hosts")
        items = read.objects("sample.items", "[{name}]").map { $0["name"]?.text }
        allowsCores = read.flag("sample.cores", false, "as a variable", isOnlyVariable: true)
    }
}

extension SettingScope {
    fileprivate static let doors = SettingScope("doors")
}

/// Reads the sample, with what is wrong.
private func sample(
    _ variables: [String: String] = [:],
    file: String? = nil,
    defaults: [String: JSONValue] = [:],
    for scope: SettingScope = .everything
) -> (Sample, SettingReader, problems: [String]) {
    let environment = Dictionary(uniqueKeysWithValues: variables.map { ("SALLYPORT_" + $0, $1) })
    let source = SettingSource(file: file.map { Array($0.utf8) }, environment: environment)
    var reader = SettingReader(source.fillingIn(defaults))
    let sample = Sample(&reader)
    return (sample, reader, reader.problems(of: scope))
}

@Suite struct `A reader of settings` {
    @Test func `declares what it reads, in this order, whatever the source holds`() throws {
        let (_, empty, problems) = sample()
        #expect(problems.isEmpty)
        let rows = empty.settings.map { [$0.name, $0.environmentName, $0.fallback, $0.takes, $0.meaning] }
        #expect(
            rows == [
                ["listen", "SALLYPORT_LISTEN", "127.0.0.1:80", "address and port", "where to listen"],
                ["sample.name", "SALLYPORT_SAMPLE_NAME", "Anna", "text", "a name"],
                ["sample.password", "SALLYPORT_SAMPLE_PASSWORD", "", "text", "a password"],
                ["sample.folder", "SALLYPORT_SAMPLE_FOLDER", "./var", "path", "a folder"],
                ["sample.key", "SALLYPORT_SAMPLE_KEY", "", "path", "a key"],
                ["sample.certificate", "SALLYPORT_SAMPLE_CERTIFICATE", "", "path", "a certificate"],
                ["sample.count", "SALLYPORT_SAMPLE_COUNT", "3", "2 to 9", "a number"],
                ["sample.pause", "SALLYPORT_SAMPLE_PAUSE", "90s", "0s to 2h", "a pause"],
                ["sample.on", "SALLYPORT_SAMPLE_ON", "true", "`true`, `false`", "a switch"],
                ["sample.mode", "SALLYPORT_SAMPLE_MODE", "open", "`open`, `shut`", "a mode"],
                ["sample.level", "SALLYPORT_SAMPLE_LEVEL", "", "`open`, `shut`", "empty: as the mode"],
                ["sample.hosts", "SALLYPORT_SAMPLE_HOSTS", "a, b", "list", "hosts"],
                ["sample.items", "SALLYPORT_SAMPLE_ITEMS", "[]", "JSON array", "[{name}]"],
                ["sample.cores", "SALLYPORT_SAMPLE_CORES", "false", "`true`, `false`", "as a variable"],
            ]
        )
        let full = Dictionary(uniqueKeysWithValues: empty.settings.map { ($0.name.variable, "x") })
        #expect(sample(full).1.settings == empty.settings)
        #expect(empty.printed.map(\.name) == empty.settings.map(\.name))
    }

    @Test func `gives the defaults of an empty source`() {
        let (sample, reader, _) = sample()
        #expect(sample.address == SocketAddress("127.0.0.1:80"))
        #expect(sample.name == "Anna" && sample.password == nil && sample.folder == "./var" && sample.key.isEmpty)
        #expect(sample.count == 3 && sample.pause == .seconds(90) && sample.isOn && !sample.allowsCores)
        #expect(sample.mode == .open && sample.level == .open && sample.hosts == ["a", "b"] && sample.items.isEmpty)
        let printed = Dictionary(uniqueKeysWithValues: reader.printed.map { ($0.name, $0.value) })
        #expect(printed["sample.level"] == "open" && printed["sample.pause"] == "90s")
        #expect(printed["sample.items"] == "(0 entries)" && printed["sample.password"]?.isEmpty == true)
    }

    @Test(arguments: [
        ("LISTEN", "localhost", "listen: not an address and port, such as 127.0.0.1:8443 or [::1]:8443"),
        ("SAMPLE_COUNT", "1", "sample.count: not a whole number from 2 to 9"),
        ("SAMPLE_COUNT", "10", "sample.count: not a whole number from 2 to 9"),
        ("SAMPLE_COUNT", "", "sample.count: not a whole number from 2 to 9"),
        ("SAMPLE_PAUSE", "3h", "sample.pause: not a duration from 0s to 7200s, such as 90s, 15m or 2h"),
        ("SAMPLE_PAUSE", "1 m", "sample.pause: not a duration from 0s to 7200s, such as 90s, 15m or 2h"),
        ("SAMPLE_ON", "yes", "sample.on: neither true nor false"),
        ("SAMPLE_MODE", "ajar", "sample.mode: not one of open, shut"),
        ("SAMPLE_LEVEL", "ajar", "sample.level: not one of open, shut"),
        ("SAMPLE_ITEMS", "{}", "SALLYPORT_SAMPLE_ITEMS: not a JSON array"),
        ("SAMPLE_ITEMS", "[1,\n é", "SALLYPORT_SAMPLE_ITEMS: not JSON at line 2, column 2"),
        ("SAMPLE_KEY", "-----BEGIN PRIVATE KEY", "sample.key: holds the key itself, not a path"),
        ("SAMPLE_FOLDER", "a\nb", "sample.folder: holds the content of the file itself, not a path"),
        ("SAMPEL_NAME", "x", "SALLYPORT_SAMPEL_NAME: no such setting"),
    ])
    func `says what is wrong`(variable: String, text: String, problem: String) {
        let (_, reader, problems) = sample([variable: text])
        #expect(problems == [problem])
        #expect(reader.contents.isEmpty == !problem.contains("itself"))
    }

    @Test(arguments: [("0", 0), ("7200", 7200), ("90s", 90), ("15m", 900), ("2h", 7200)])
    func `takes durations up to their bound, with a unit and without`(text: String, seconds: Int) {
        #expect(sample(["SAMPLE_PAUSE": text]).0.pause == .seconds(seconds))
    }

    @Test func `says everything at once, of the source as a whole first`() {
        let file = #"{"zzz":{"deep":{"er":1}},"sample":{"count":[4],"nix":null,"cores":true},"listen":{"a":1}}"#
        let variables = ["SAMPLE_ON": "1", "SAMPLE_COUNT": "99", "OTHER": "", "ANOTHER": ""]
        #expect(
            sample(variables, file: file).problems == [
                "zzz.deep.er: no such setting", "sample.count: not a single value", "sample.nix: no such setting",
                "sample.cores: not in a file, only as SALLYPORT_SAMPLE_CORES", "listen: not a single value",
                "SALLYPORT_ANOTHER: no such setting", "SALLYPORT_OTHER: no such setting",
                "sample.count: not a whole number from 2 to 9", "sample.on: neither true nor false",
            ]
        )
    }

    @Test func `leaves out what is wrong with settings that a command does not go by`() {
        let variables = ["SAMPLE_MODE": "ajar", "SAMPLE_ON": "1", "OTHER": ""]
        #expect(
            sample(variables, for: .doors).problems
                == ["SALLYPORT_OTHER: no such setting", "sample.mode: not one of open, shut"]
        )
        var (_, reader, _) = sample()
        reader.complain("sample.mode", item: 2, "wrong")
        #expect(reader.problems(of: .doors) == ["sample.mode[2]: wrong"])
        #expect(!reader.areSound("sample.on", "sample.mode") && reader.areSound("sample.on"))
    }

    @Test func `prints neither a secret nor a file in place of its path`() {
        let pem = "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n"
        let (sample, reader, problems) = sample(["SAMPLE_PASSWORD": "hunter2", "SAMPLE_KEY": pem])
        #expect(sample.password?.reveal() == "hunter2")
        #expect(reader.printed.contains { $0 == ("sample.password", "<secret>") })
        #expect(!"\(reader.printed)\(problems)\(sample)".contains("hunter2"))
        #expect(reader.contents == ["sample.key"])
    }

    @Test func `refuses a setting that is read twice`() {
        var (_, reader, _) = sample()
        _ = reader.number("sample.count", 0...1, 0, "something else")
        _ = reader.text("sample_on", "", "the same variable")
        #expect(
            reader.problems(of: .everything).map { $0.prefix(while: { $0 != ":" }) } == ["sample.count", "sample_on"]
        )
    }
}

extension String {
    /// Behind the prefix of all variables.
    fileprivate var variable: String { String(Setting.environmentName(self).dropFirst(10)) }
}

@Test func `Settings that cannot be used are named in a log by their problems alone`() {
    let error: any Error = ConfigurationError(problems: ["a.b: not set", "c.d: not a number"])
    #expect("\(error)" == "a.b: not set; c.d: not a number")
    #expect(String(reflecting: error) == "a.b: not set; c.d: not a number")
}
