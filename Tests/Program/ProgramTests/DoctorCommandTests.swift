import Cryptography
import EventIO
import Foundation
import Primitives
import Settings
import TestKit
import Testing

@testable import Program

@Suite struct `The command doctor` {
    /// Runs it over the settings of a demo whose keys are in a folder; the environment wins.
    private func examine(
        _ folder: String,
        _ environment: [String: String] = [:],
        _ options: [String] = []
    ) async throws -> (status: Int32, output: String) {
        var environment = environment
        environment["SALLYPORT_DATA_DIR"] = folder
        let result = await run(["doctor", "--demo"] + options, environment: environment)
        #expect(result.complaints.isEmpty)
        return (result.status, result.output)
    }

    private func withKeys(_ body: nonisolated(nonsending) (String) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            _ = try DevelopmentKeys.prepare(in: folder, random: KernelRandom())
            try await body(folder)
        }
    }

    @Test func `finds no error in the demo, and warns of its port`() async throws {
        try await withKeys { folder in
            let plain = try await examine(folder)
            #expect(plain.status == 0, "\(plain.output)")
            #expect(plain.output.contains("D02 warning link.base_url: "))
            #expect(plain.output.hasSuffix("doctor: 0 errors, 1 warning, 0 notes\n"))
            #expect(try await examine(folder, [:], ["--strict"]).status == 1)
        }
    }

    @Test func `says nothing of the host of links where no feature that is on has any`() async throws {
        try await withKeys { folder in
            let settings = [
                "WEB_BASE_URL": "https://localhost:8443", "LINK_BASE_URL": "https://nobody.example:8443",
                "TLS_CERTIFICATE": "\(folder)/development/server.pem", "TLS_KEY": "\(folder)/development/server.key",
                "DATABASE_URL": "postgresql://localhost/shop", "DATA_DIR": folder,
            ]
            let environment = Dictionary(settings.map { ("SALLYPORT_" + $0.key, $0.value) }) { first, _ in first }
            let result = await run(["doctor"], environment: environment)
            #expect(result.status == 0, "\(result.output)")
            #expect(result.output.contains("note checkout: "))
            #expect(!result.output.contains("link.base_url"))
        }
    }

    private static let android = #"[{"package":"com.example.shop","fingerprints":["\#(debugKey)"]}]"#
    private static let debugKey =
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"

    /// A mistake in variables, `$KEYS` for the folder of the keys and `$PEM` for the merchant's key itself, and what the line
    /// about it begins with.
    static let mistakes: [([String: String], String)] = [
        (["APPS_IOS": #"[{"prefix":"ABCDE1234","bundle":"com.example.shop"}]"#], "D04 error apps.ios[0]: "),
        (["LINK_BASE_URL": "https://localhost:8443"], "D01 error link.base_url: "),
        (
            ["APPS_IOS": #"[{"prefix":"ABCDE12345","bundle":"com.example.shop","services":["applinks"]}]"#],
            "D13 error apps.ios[0]: "
        ),
        (["TLS_CERTIFICATE": "$KEYS/expired.pem", "TLS_KEY": "$KEYS/expired.key"], "D21 error tls.certificate: "),
        (["PROVIDER_PUBLIC_KEY_ID": "SANDBOX-WRONG"], "D30 error provider.public_key_id: "),
        (["PROVIDER_PUBLIC_KEY_ID": "LIVE-SALLYPORTDEMOKEY00000001"], "D32 error provider.api_url: "),
        (["SESSION_LAUNCH": "10m", "SESSION_IDLE": "5m"], "D16 error session.idle: "),
        (["WEB_BASE_URL": "http://pay.example.com"], "D17 error web.base_url: "),
        (["TRUSTED_PROXIES": "0.0.0.0/0"], "D19 error trusted_proxies: "),
        (["WEB_BASE_URL": "https://pay.example.com", "APPS_ANDROID": android], "D14 error apps.android[0]: "),
        (["PROVIDER_PRIVATE_KEY": "$KEYS/merchant.pem"], "D31 error provider.private_key: "),
        (["PROVIDER_PRIVATE_KEY": "$KEYS/expired.pem"], "D31 error provider.private_key: The file holds a certificate"),
        (["PROVIDER_PRIVATE_KEY": "$PEM"], "D31 error provider.private_key: It holds the key itself"),
        (["TLS_KEY": "$PEM"], "D21 error tls.key: It holds the key itself"),
        (["TLS_TICKET_SECRET": "one\ntwo"], "D00 error tls.ticket_secret: Holds the secret itself"),
        (["PROVIDER_API_URL": "https://pay-api.amazon.jp"], "D33 error provider.api_url: "),
        (["PROVIDER_SCRIPT_URL": "", "PROVIDER_START_URL": ""], "D34 error provider.api_url: "),
        (["PROVIDER_CA_FILE": "$KEYS/nothing"], "D35 error provider.ca_file: "),
        (["PROVIDER_REDIRECT_HOSTS": "https://localhost"], "D37 error provider.redirect_hosts: "),
        (["NOTIFICATIONS_TOPIC_ARN": "arn:aws:sns:us-west-2:shop"], "D42 error notifications.topic_arn: "),
        (
            [
                "NOTIFICATIONS_CERTIFICATE_HOSTS": "localhost:9443",
                "PROVIDER_PUBLIC_KEY_ID": "LIVE-SALLYPORTDEMOKEY00000001",
            ],
            "D42 error notifications.certificate_hosts: "
        ),
        (["MERCHANT_SECRET_FILE": "$KEYS/nothing"], "D43 error merchant.secret_file: "),
        (["MERCHANT_SECRET_FILE": "$KEYS/short.secret"], "D43 error merchant.secret_file: "),
        (["MERCHANT_SECRET_FILE": "$PEM"], "D43 error merchant.secret_file: It holds the secret itself"),
        (["LINK_BASE_URL": "https://Links.example.com"], "D02 error link.base_url: "),
        (["TLS_KEY": "$KEYS/nothing"], "D21 error tls.key: $KEYS/nothing cannot be read: no such file or directory."),
        (
            ["TLS_KEY": "$KEYS/merchant.key"],
            "D00 error tls.key: $KEYS/merchant.key is not the key of the first certificate in $KEYS/server.pem"
        ),
        (
            ["TLS_KEY": "$KEYS/short.secret"],
            "D00 error tls.key: $KEYS/short.secret is not a private key in PEM without a passphrase"
        ),
        (
            ["TLS_SECOND_CERTIFICATE": "$KEYS/server.pem", "TLS_SECOND_KEY": "$KEYS/server.key"],
            "D00 error tls.second_certificate: $KEYS/server.pem has a key of the same kind as $KEYS/server.pem: "
        ),
        (["LOOPS": "many"], "D00 error loops: "),
        (["TRUSTED_PROXIES": "balancer"], "D00 error trusted_proxies: "),
        (
            ["APPS_ANDROID": #"[{"package":"com.example.shop","fingerprints":["\#(debugKey)"],"finger":[]}]"#],
            "D00 error apps.android[0]: "
        ),
    ]

    @Test(arguments: mistakes)
    func `finds a mistake with status 2 and a line that names the setting and says what to do`(
        variables: [String: String],
        line: String
    ) async throws {
        try await withKeys { folder in
            let keys = folder + "/development"
            let past = SystemClock().now() + .seconds(-500 * 86_400)
            let authority = try DevelopmentAuthority.make(
                name: "past",
                permitting: CertificateName.loopback,
                now: past,
                random: KernelRandom()
            )
            let expired = try authority.issue(for: CertificateName.loopback, now: past, random: KernelRandom())
            try Files.write(keys + "/expired.pem", expired.certificatePEM)
            try Files.write(keys + "/expired.key", expired.keyPEM.reveal())
            try Files.write(keys + "/short.secret", Array("change me".utf8))
            var environment: [String: String] = [:]
            for (name, value) in variables {
                let pem = String(decoding: try Files.read(keys + "/merchant.key", limit: 65_536), as: UTF8.self)
                environment["SALLYPORT_" + name] = value.replacingOccurrences(of: "$KEYS", with: keys)
                    .replacingOccurrences(of: "$PEM", with: pem)
            }
            let (status, output) = try await examine(folder, environment)
            #expect(status == 2)
            let line = line.replacingOccurrences(of: "$KEYS", with: keys)
            #expect(output.split(separator: "\n").contains { $0.hasPrefix(line) }, "\(output)")
            let json = try await examine(folder, environment, ["--json"])
            #expect(json.status == 2)
            let finding = try #require(try findings(json.output).first { Self.text($0).hasPrefix(line) })
            #expect(finding["remedy"]?.hasSuffix(".") == true)
        }
    }

    private func findings(_ output: String) throws -> [[String: String]] {
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any]
        return try #require(object?["findings"] as? [[String: String]])
    }

    private static func text(_ finding: [String: String]) -> String {
        let words = ["check", "severity", "subject", "message"].map { finding[$0] ?? "" }
        return "\(words[0]) \(words[1]) \(words[2]): \(words[3])"
    }

    // MARK: Secrets in the wrong place

    static let paths = [
        "PROVIDER_PRIVATE_KEY", "TLS_KEY", "TLS_CERTIFICATE", "TLS_SECOND_KEY", "PROVIDER_CA_FILE", "DATA_DIR",
    ]
    static let commands = ["doctor", "doctor --json", "doctor --print-config", "serve", "serve --print-config"]

    @Test(arguments: paths, commands)
    func `does not print a key that stands in place of its path, and neither does serve`(
        setting: String,
        command: String
    ) async throws {
        let pem = String(decoding: try RSAPrivateKey.generatePEM().privateKey.reveal(), as: UTF8.self)
        let lines = pem.split(separator: "\n").dropFirst().dropLast().map(String.init)
        // As it is, in one line as some tools write it, and without its frame.
        let forms = [pem, pem.replacingOccurrences(of: "\n", with: "\\n"), lines.joined()]
        for form in forms {
            let result = await run(
                command.split(separator: " ").map(String.init),
                environment: ["SALLYPORT_" + setting: form]
            )
            #expect(result.status == 2)
            let said = result.output + result.complaints
            #expect(!lines.contains { said.contains($0.prefix(40)) }, "\(form.prefix(10))")
            #expect(said.contains("itself, not a path"))
        }
    }

    // MARK: Time

    @Test func `reads the clock when the database has answered, however long that took`() async {
        let clock = ManualClock()
        let environment = ["SALLYPORT_DATABASE_URL": "postgresql://localhost/shop"]
        let source = SettingSource(file: nil, environment: environment)
        let findings = await DoctorCommand.askDatabase(source, clock: clock) { _ in
            clock.advance(by: .seconds(40))
            return .sound(at: clock.now())
        }
        #expect(findings == [])
    }

    @Test func `prints one JSON object when asked`() async throws {
        try await withKeys { folder in
            let (status, output) = try await examine(folder, ["SALLYPORT_TRUSTED_PROXIES": "*"], ["--json"])
            #expect(status == 2)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
            #expect(object["errors"] as? Int == 1)
            let finding = try #require((object["findings"] as? [[String: String]])?.last)
            #expect(finding["check"] == "D19")
            #expect(finding["subject"] == "trusted_proxies")
            #expect(finding["remedy"]?.isEmpty == false)
        }
    }

    @Test func `finds what is missing where nothing is set`() async {
        let result = await run(["doctor"])
        #expect(result.status == 2)
        #expect(result.output.contains(" error tls.certificate: "), "\(result.output)")
        #expect(
            result.output.contains(
                "D57 note checkout: The feature is off; to switch it on, set provider.merchant_id, provider.store_id, "
            )
        )
        #expect(
            result.output.contains("D57 note merchant: The feature is off, because checkout is off, which it needs.")
        )
        #expect(!result.output.contains(" provider.merchant_id: "))
        let half = await run(["doctor"], environment: ["SALLYPORT_PROVIDER_STORE_ID": "amzn1.application-oa2-client.x"])
        for setting in ["provider.merchant_id", "provider.private_key"] {
            #expect(half.output.contains(" error \(setting): "), "\(half.output)")
        }
        #expect(!half.output.contains("D57 note checkout"))
        #expect(await run(["doctor", "--config", "/nowhere/at/all"]).status == 2)
    }
}
