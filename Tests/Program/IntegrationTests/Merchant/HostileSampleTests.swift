import EventIO
import Foundation
import IntegrationKit
import TestKit
import Testing

/// The example servers, in every language, against one table of requests that none of them may believe.
@Suite("An example server", .tags(.database, .slow))
struct HostileSampleTests {
    /// Nobody can write a line of the log, or turn the terminal of whoever reads it.
    private func isPlain(_ log: String) -> Bool {
        !log.contains("\nforged") && !log.contains("\nshop: forged")
            && log.utf8.allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 != 0x7F) }
    }

    @Test(arguments: SampleLanguage.allCases)
    func `refuses what nobody honest sends, and goes on`(language: SampleLanguage) async throws {
        try await withSample(language) { sample in
            let port = try #require(URL(string: sample.url)?.port)
            let requests = try (HostileRequests.signed("/webhooks") + HostileRequests.ofShop).filter { request in
                language != .php || !HostileRequests.beforePHP.contains(request.name)
            }
            let before = sample.stateFile
            let answers = try HostileRequests.send(requests, to: port, in: sample.folder)
            #expect(answers.count == requests.count, "\(sample.log)")
            for (request, status) in zip(requests, answers) {
                #expect(request.expected.contains(status), "\(request.name): \(status)")
            }
            #expect(isPlain(sample.log), "\(sample.log)")
            #expect(sample.stateFile == before)
            #expect(sample.relay.passed("").isEmpty)
            #expect(try await sample.begin().status == 201)
        }
    }

    @Test(arguments: [("receiver.py", "WEBHOOK_SECRETS"), ("postage.py", "POSTAGE_SECRETS")])
    func `of the documents refuses the same`(file: String, variable: String) async throws {
        try await withTemporaryFolder { folder in
            let port = try freePort()
            var plan = ChildPlan(
                SampleLanguage.python.interpreter,
                [SampleLanguage.folder + "/../" + file],
                environment: [variable: HostileRequests.secret, "PORT": "\(port)"]
            )
            plan.output = .appended(path: folder + "/log")
            plan.error = .appended(path: folder + "/log")
            plan.deathSignal = .kill
            let child = try plan.start()
            defer {
                try? child.send(.kill)
                _ = try? child.wait(atMost: Patience.usual)
            }
            let patience = Patience()
            let probe = [HostileRequest("probe", ["GET / HTTP/1.0"], [501])]
            while patience.isLeft, try HostileRequests.send(probe, to: Int(port), in: folder) != [501] {
                guard try child.wait(atMost: .milliseconds(20)) == nil else { break }
            }
            let requests = try HostileRequests.signed("/")
            let answers = try HostileRequests.send(requests, to: Int(port), in: folder)
            #expect(answers.count == requests.count)
            for (request, status) in zip(requests, answers) {
                // Whoever waits for what does not come ends without an answer too; only a head that is too long may get none.
                let expected = request.expected.subtracting(request.name == "head: too long" ? [] : [0])
                #expect(expected.contains(status), "\(request.name): \(status)")
            }
            #expect(isPlain(String(decoding: try Files.read(folder + "/log"), as: UTF8.self)))
            #expect(try HostileRequests.send(probe, to: Int(port), in: folder) == [501])
        }
    }

    /// Nobody can listen there: an example that takes what it should refuse ends at once, whoever runs the test.
    private static let noPort = "-1"

    /// Secrets that are none: an empty variable must not be a key that everybody has.
    static let secrets = [
        "whsec_", "whsec_AAAA", "whsec_AAAA whsec_", HostileRequests.secret + " whsec_",
        "whsec_" + String(repeating: "!", count: 40),
        String(HostileRequests.secret.dropFirst(6)), "whsec_" + String(repeating: "A", count: 28), "",
        " ",
    ]

    @Test(arguments: SampleLanguage.allCases)
    func `does not begin with a secret that is none`(language: SampleLanguage) async throws {
        try await withTemporaryFolder { folder in
            try Files.write(folder + "/empty", [0x0A], mode: 0o600)
            let key = "swk_" + String(repeating: "a", count: 64)
            let sound = [
                "SALLYPORT_URL": "https://pay.example.com", "SALLYPORT_KEY": key, "PORT": Self.noPort,
                "SHOP_STATE": folder + "/state",
            ]
            let cases =
                Self.secrets.map { ("WEBHOOK_SECRETS", $0) } + ["", "short", "   "].map { ("SHOP_STAFF_TOKEN", $0) }
                + ["swk_", "swk_short", folder + "/empty"].map { ("SALLYPORT_KEY", $0) }
            for (name, value) in cases {
                let changed = sound.merging([name: value]) { _, new in new }
                let plan = ChildPlan(language.interpreter, [language.file], environment: changed)
                let (exit, output) = try plan.run(atMost: Patience.usual)
                let text = String(decoding: output, as: UTF8.self)
                #expect(!exit.isSuccess && text.contains(name), "\(name)=\(value): \(text)")
                #expect(!text.contains(key) && !text.contains(HostileRequests.secret), "\(text)")
            }
        }
    }

    @Test(arguments: [("receiver.py", "WEBHOOK_SECRETS"), ("postage.py", "POSTAGE_SECRETS")])
    func `of the documents does not begin with one either`(file: String, variable: String) async throws {
        for secret in Self.secrets + [nil] {
            var environment = ["PORT": Self.noPort]
            environment[variable] = secret
            let path = SampleLanguage.folder + "/../" + file
            let plan = ChildPlan(SampleLanguage.python.interpreter, [path], environment: environment)
            let (exit, output) = try plan.run(atMost: Patience.usual)
            let text = String(decoding: output, as: UTF8.self)
            #expect(
                !exit.isSuccess && text.contains(variable) && !text.contains("Traceback"),
                "\(secret ?? "-"): \(text)"
            )
        }
    }
}
