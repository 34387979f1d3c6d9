import EventIO
import Operations
import Settings
import Synchronization
import TestKit
import Testing
import Web

@testable import Program

/// Runs a command line and keeps what it says.
func run(
    _ words: [String],
    environment: [String: String] = [:]
) async -> (status: Int32, output: String, complaints: String) {
    let said = Mutex((output: "", complaints: ""))
    let console = Console(
        print: { line in said.withLock { $0.output += line + "\n" } },
        complain: { line in said.withLock { $0.complaints += line + "\n" } }
    )
    let status = await CommandTable.set.run(words, environment: environment, console: console)
    return said.withLock { (status, $0.output, $0.complaints) }
}

@Suite struct `The command line` {
    @Test(arguments: CommandTable.all.map(\.name))
    func `explains each command`(_ name: String) async {
        for words in [[name, "--help"], [name, "-h"], ["--help", name], ["help", name]] {
            let result = await run(words)
            #expect(result.status == 0)
            #expect(result.complaints.isEmpty)
            #expect(result.output.contains("usage: sallyport \(name)"))
            // It fits on a screen.
            #expect(result.output.split(separator: "\n").count < 60 && result.output.contains("help settings"))
        }
    }

    @Test(arguments: CommandTable.all.flatMap { command in command.examples.map { (command, $0) } })
    func `gives examples that it understands`(command: Command, example: String) throws {
        let words = example.split(separator: " ").map(String.init)
        #expect(words.first == "sallyport")
        let options = command.options + CommandTable.common
        let arguments = try CommandLineArguments(Array(words.dropFirst()), options: options)
        #expect(arguments.command == command.name)
        #expect(arguments.operands.isEmpty || !command.operands.isEmpty)
    }

    @Test func `lists the settings when asked for them`() async {
        let result = await run(["help", "settings"])
        #expect(result.status == 0)
        for setting in Configuration.settings { #expect(result.output.contains(setting.environmentName)) }
    }

    @Test(arguments: [
        (["serv"], "no such command: serv; did you mean serve?\nsee `sallyport --help`"),
        (["Demo"], "did you mean demo?"), (["recncile"], "did you mean reconcile?"),
        (["demo", "--foo"], "see `sallyport demo --help`"),
        (["demo", "--hours", "3"], "see `sallyport demo --help`"), (["serve", "x"], "see `sallyport serve --help`"),
        (["help", "nothing"], "no such command: nothing\n"), (["xyz"], "no such command: xyz\n"),
    ])
    func `says where to look`(words: [String], sentence: String) async {
        let result = await run(words)
        #expect(result.status == 2)
        #expect(result.complaints.contains(sentence), "\(result.complaints)")
    }

    @Test func `lists every command when asked for nothing`() async {
        for words in [[], ["--help"], ["-h"], ["help"]] {
            let result = await run(words)
            #expect(result.status == 0)
            for command in CommandTable.all { #expect(result.output.contains("  \(command.name) ")) }
        }
    }

    static let misuses = [
        ["nothing"], ["SERVE"], ["serve", "--nothing"], ["serve", "-x"], ["--nothing"], ["serve", "--config"],
        ["serve", "operand"], ["routes", "--apple"], ["migrate", "--status=yes"], ["version", "--hours", "3"],
        ["audit", "--print-config=1"], ["--config", "x"],
    ]

    @Test(arguments: misuses)
    func `refuses what it does not know with status 2`(_ words: [String]) async {
        let result = await run(words)
        #expect(result.status == 2)
        #expect(words == ["--config", "x"] || result.complaints.contains("sallyport: "))
    }

    private static let key = "-----BEGIN PRIVATE KEY-----\nMIIEvsecret=\n-----END PRIVATE KEY-----\n"
    private static let bare = "MII" + String(repeating: "secret", count: 60)

    @Test(
        arguments: [
            (["serve", "--config", key], "--config holds the content"),
            (["--config=" + key, "serve"], "--config holds"),
            (["explain-signature", "--public-key", key], "--public-key holds"),
            (["explain-signature", "--public-key", bare], "--public-key holds"),
            (["explain-signature", "--request=" + bare], "--request holds"),
            (["simulators", "--merchants", key], "--merchants holds"), (["keys", key], "an argument is"),
            ([bare], "an argument is"), (["explain-signature", "--private-key=" + key], "--private-key holds"),
        ]
    )
    func `repeats no key that stands where a path belongs`(words: [String], sentence: String) async {
        let result = await run(words)
        #expect(result.status == 2)
        #expect(result.complaints.contains("sallyport: " + sentence), "\(result.complaints)")
        #expect(!(result.complaints + result.output).contains("secret"))
    }

    @Test func `repeats no key that stands in a setting either`() async {
        let environment = ["SALLYPORT_PROVIDER_PRIVATE_KEY": Self.key]
        let result = await run(["explain-signature", "--request", "/dev/null"], environment: environment)
        #expect(result.status == 2)
        #expect(result.complaints.contains("provider.private_key: holds the key itself, not a path"))
        #expect(!result.complaints.contains("secret"))
    }

    @Test func `tells everything at once that serve lacks`() async {
        let environment = [
            "SALLYPORT_PROVIDER_MERCHANT_ID": "A1EXAMPLE2MERCH",
            "SALLYPORT_NOTIFICATIONS_TOPIC_ARN": "arn:aws:sns:ap-northeast-1:123456789012:pay",
            "SALLYPORT_NOTIFICATIONS_TRUST_ANCHOR": "/nowhere.pem",
        ]
        let result = await run(["serve"], environment: environment)
        #expect(result.status == 2)
        for name in ["store_id", "public_key_id", "private_key"] {
            #expect(result.complaints.contains("sallyport: provider.\(name): must be set\n"))
        }
        #expect(!result.complaints.contains("provider.merchant_id"))
        #expect(result.complaints.contains("sallyport: tls.certificate: not set"))
        #expect(result.complaints.contains("sallyport: notifications.trust_anchor"))
    }

    /// Set for a demo, which permits addresses of this machine; these commands do not go by it.
    @Test(arguments: [["keys", "list"], ["audit", "--alerts"], ["stuck"], ["payments"], ["migrate", "--status"]])
    func `leaves settings alone that a command of the database has no use for`(words: [String]) async throws {
        try await withTemporaryFolder { folder in
            let environment = [
                "SALLYPORT_MERCHANT_POSTAGE_ORIGINS": "http://127.0.0.1:23098", "SALLYPORT_LIMITS_IDLE": "never",
                "SALLYPORT_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1",
                "SALLYPORT_DATA_DIR": folder,
            ]
            let result = await run(words, environment: environment)
            #expect(result.status == 1 && result.complaints.contains("sallyport: database: "), "\(result.complaints)")
            let wrong = await run(words, environment: environment.merging(["SALLYPORT_PROFILE": "x"]) { $1 })
            #expect(wrong.status == 2 && wrong.complaints.contains("profile: not one of"), "\(wrong.complaints)")
            #expect(!wrong.complaints.contains("postage_origins"))
        }
    }

    @Test func `of association leaves everything but the apps alone`() async {
        let environment = ["SALLYPORT_MERCHANT_POSTAGE_ORIGINS": "http://127.0.0.1:1", "SALLYPORT_APPS_IOS": "[{}]"]
        let result = await run(["association", "--apple"], environment: environment)
        #expect(result.complaints.contains("apps.ios[0]") && !result.complaints.contains("postage_origins"))
    }

    @Test func `names a system that it does not simulate, and makes nothing`() async throws {
        try await withTemporaryFolder { folder in
            let result = await run(["simulators", "nothing"], environment: ["SALLYPORT_DATA_DIR": folder + "/var"])
            #expect(result.status == 2)
            #expect(result.complaints == "sallyport: simulators: no such system: nothing\n")
            #expect(!Files.exists(folder + "/var"))
        }
    }

    @Test func `keeps the state of each simulated system in a file of its own, whichever run`() {
        #expect(SimulatorsCommand.path(of: "amazon-pay", beside: "state.json") == "state.json")
        #expect(SimulatorsCommand.path(of: "another", beside: "state.json") == "state.json.another")
    }

    @Test func `names the folder that cannot be made, and what is in its way`() async throws {
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/file", [])
            let taken = await run(["demo"], environment: ["SALLYPORT_DATA_DIR": folder + "/file"])
            #expect(taken.complaints == "sallyport: data_dir: \(folder)/file exists but is not a folder\n")
            let nowhere = await run(["demo"], environment: ["SALLYPORT_DATA_DIR": "/proc/nope"])
            #expect(nowhere.complaints == "sallyport: data_dir: /proc/nope cannot be made: no such file or directory\n")
            let config = await run(["serve", "--config", folder + "/none"])
            #expect(
                config.complaints == "sallyport: --config: \(folder)/none cannot be read: no such file or directory\n"
            )
        }
    }

    @Test func `names file, line and column of what is no JSON`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/settings.json"
            try Files.write(path, Array("{\"listen\": \"日本\",\n  \"loops\": 1,,}".utf8))
            let result = await run(["serve", "--config", path])
            #expect(result.complaints.hasPrefix("sallyport: \(path): not JSON at line 2, column 14\n"))
        }
    }

    @Test func `prints the version and the routes`() async {
        for words in [["version"], ["--version"], ["-v"]] {
            #expect(await run(words).output == "sallyport \(ProgramVersion.text) (commit \(ProgramVersion.commit))\n")
        }
        #expect(await run(["serve", "--version"]).status == 2)
        let routes = await run(["routes"])
        #expect(routes.output.split(separator: "\n").count == RoutesCommand.routes.count)
        for route in RoutesCommand.routes { #expect(routes.output.contains(" \(route.path) ")) }
    }

    @Test func `prints the key of an origin, and says so where nobody is asked`() async throws {
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/secret", Array(repeating: 7, count: 32), mode: 0o600)
            let environment = [
                "SALLYPORT_MERCHANT_SECRET_FILE": folder + "/secret",
                "SALLYPORT_MERCHANT_POSTAGE_ORIGINS": "https://shop.example",
            ]
            let asked = await run(["postage-key", "https://shop.example:443"], environment: environment)
            #expect(asked.status == 0)
            #expect(asked.output.contains(#""origin":"https://shop.example","number":1"#))
            #expect(asked.complaints.isEmpty)
            let other = await run(["postage-key", "https://shop.example:8443"], environment: environment)
            #expect(other.status == 0)
            #expect(other.complaints.contains("https://shop.example:8443 is not in merchant.postage_origins"))
        }
    }

    @Test func `prints the association files of the settings`() async {
        let environment = [
            "SALLYPORT_APPS_IOS": #"[{"prefix":"ABCDE12345","bundle":"com.example.shop"}]"#,
            "SALLYPORT_APPS_ANDROID":
                #"[{"package":"com.example.shop","fingerprints":["\#(Array(repeating: "AB", count: 32).joined(separator: ":"))"]}]"#,
        ]
        let apple = await run(["association", "--apple"], environment: environment)
        #expect(apple.status == 0)
        #expect(apple.output.contains("ABCDE12345.com.example.shop"))
        let android = await run(["association", "--android"], environment: environment)
        #expect(android.output.contains("delegate_permission/common.handle_all_urls"))
        #expect(await run(["association", "--apple"]).status == 2)
        #expect(await run(["association"], environment: environment).status == 2)
    }

    @Test func `prints a sample link that opens the app, and the commands that open it`() async throws {
        let environment = [
            "SALLYPORT_LINK_BASE_URL": "https://links.example.com",
            "SALLYPORT_APPS_ANDROID":
                #"[{"package":"com.example.shop","fingerprints":["\#(Array(repeating: "AB", count: 32).joined(separator: ":"))"]}]"#,
        ]
        let sample = await run(["link", "--sample"], environment: environment)
        #expect(sample.status == 0 && sample.output.hasPrefix("https://links.example.com/index.html?secureWeb"))
        let link = String(sample.output.dropLast())
        let simulator = await run(["link", "--sample", "--ios"], environment: environment)
        #expect(simulator.output == "xcrun simctl openurl booted '\(link)'\n")
        let device = await run(["link", "--sample", "--android"], environment: environment)
        #expect(
            device.output.hasPrefix("adb shell \"am start ")
                && device.output.hasSuffix(" -d '\(link)' com.example.shop\"\n")
        )
        let verdict = await run(["link", link], environment: environment)
        #expect(verdict.status == 0)
        #expect(
            verdict.output == """
                iOS 13 and later: opens the app
                iOS 12 and older: opens the app
                Android: opens the app
                The form is right.

                """
        )
    }

    @Test(arguments: [
        ("https://links.example.com.evil.example/index.html", "It opens no app: it does not begin with"),
        ("https://links.example.com/x", "Android: stays in the browser"),
        ("https://links.example.com/index.html?accessToken=x", "orderReferenceId has to look like ?*"),
        ("https://links.example.com/index.html?a&b&c&d", "The form is wrong"),
        ("SAMPLE&x=1", "iOS 13 and later: opens the app"), ("SAMPLE%20", "The form is wrong"),
    ])
    func `says why a link is none`(form: String, reason: String) async {
        let environment = ["SALLYPORT_LINK_BASE_URL": "https://links.example.com"]
        let sample = await run(["link", "--sample"], environment: environment).output.dropLast()
        let link = form.replacing("SAMPLE", with: sample)
        let result = await run(["link", link], environment: environment)
        #expect(result.status == 1 && result.output.contains(reason), "\(result.output)")
        #expect(!result.output.contains("swc_AAA"))
    }

    @Test(arguments: [
        ["link"], ["link", "a", "b"], ["link", "--sample", "a"], ["link", "--ios"],
        ["link", "--sample", "--ios", "--android"],
    ])
    func `asks for one link`(words: [String]) async {
        #expect(await run(words).status == 2)
    }
}
