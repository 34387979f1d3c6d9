import EventIO
import Operations
import Settings
import TestKit
import Testing

@testable import Program

@Suite struct `The file with the settings` {
    private static let packaged = "/usr/lib/sallyport/sallyport"

    private func file(
        _ words: [String],
        _ environment: [String: String] = [:],
        program: String = packaged
    ) throws -> ConfigurationFile? {
        let options = CommandTable.all.flatMap(\.options) + CommandTable.common
        return ConfigurationFile(try CommandLineArguments(words, options: options), environment, program: program)
    }

    @Test func `is named by the option, else by the variable, else by the package`() throws {
        let variable = ["SALLYPORT_CONFIG": "/b.json"]
        let named = try file(["serve", "--config", "/a.json"], variable)
        #expect(named?.path == "/a.json" && named?.source == .option)
        let varied = try file(["keys", "list"], variable)
        #expect(varied?.path == "/b.json" && varied?.source == .variable)
        let packaged = try file(["audit"])
        #expect(packaged?.path == "/etc/sallyport/sallyport.json" && packaged?.source == .package)
        #expect(try file(["audit"], ["SALLYPORT_CONFIG": ""]) == nil)
        #expect(try file(["audit"], program: "/src/sallyport/.build/release/sallyport") == nil)
    }

    @Test(arguments: [["demo"], ["simulators"], ["doctor", "--demo"]])
    func `of a real shop is not for one that is made for a trial`(words: [String]) throws {
        #expect(try file(words) == nil)
        #expect(try file(words, ["SALLYPORT_CONFIG": "/b.json"]) == nil)
        #expect(try file(words + ["--config", "/a.json"], ["SALLYPORT_CONFIG": "/b.json"])?.path == "/a.json")
    }

    @Test func `is read from the variable by the commands of a real shop, and is no setting`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/shop.json"
            try Files.write(path, Array(#"{"listen": "127.0.0.1:7443", "loops": 3}"#.utf8), mode: 0o600)
            let environment = ["SALLYPORT_CONFIG": path, "SALLYPORT_LOOPS": "2"]
            for command in ["serve", "migrate", "doctor"] {
                let result = await run([command, "--print-config"], environment: environment)
                #expect(result.status == 0, "\(command): \(result.complaints)")
                #expect(result.output.contains("listen = 127.0.0.1:7443\n") && result.output.contains("loops = 2\n"))
            }
        }
    }

    @Test func `is missed by its name, and a key in its place is not repeated`() async {
        let missed = await run(["serve"], environment: ["SALLYPORT_CONFIG": "/nowhere/shop.json"])
        #expect(missed.status == 2)
        #expect(
            missed.complaints
                == "sallyport: SALLYPORT_CONFIG: /nowhere/shop.json cannot be read: no such file or directory\n"
        )
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvsecret=\n-----END PRIVATE KEY-----\n"
        let pasted = await run(["serve"], environment: ["SALLYPORT_CONFIG": key])
        #expect(pasted.status == 2 && !pasted.complaints.contains("secret"))
    }

    @Test func `of the package is left alone where it is not there`() throws {
        let file = try #require(try file(["audit"]))
        // On a machine with the package the tests do not belong.
        guard !Files.exists(file.path) else { return }
        #expect(try file.read() == nil && file.remark == nil)
    }
}
