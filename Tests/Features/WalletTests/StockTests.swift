import EventIO
import HTTPCore
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON
import Telemetry
import TestKit
import Testing
import WalletPass
import Web

@testable import Wallet

@Suite struct `Templates and certificates` {
    private static let type = WalletFixture.passType

    private func stock(
        _ settings: [String: String] = [:],
        _ change: (String) throws -> Void
    ) async throws -> PassStock {
        try await withTemporaryFolder { folder in
            try WalletFolders.fill(folder)
            try change(folder)
            return PassStock(try self.settings(folder, settings), at: SystemClock().now())
        }
    }

    private func settings(_ folder: String, _ others: [String: String] = [:]) throws -> WalletSettings {
        var environment = [
            "SALLYPORT_WALLET_TEMPLATES": "\(folder)/templates",
            "SALLYPORT_WALLET_CERTIFICATES": "\(folder)/certificates",
        ]
        environment.merge(others) { $1 }
        var reader = SettingReader(SettingSource(file: nil, environment: environment))
        return WalletSettings(&reader)
    }

    @Test(arguments: [("pass-nopush", 1), ("pass-noclient", 1), ("pass-member", 0)])
    func `warn of a certificate that cannot wake phones, unless a key does that`(name: String, count: Int) async throws
    {
        for (settings, count) in [([:], count), (["SALLYPORT_WALLET_PUSH_KEY": "/key.p8"], 0)] {
            let stock = try await stock(settings) { try WalletFolders.put("\(name).pem", as: "\(Self.type).pem", $0) }
            #expect(stock.problems == [] && stock.warnings.count == count && stock.usable.count == 1)
            #expect(
                stock.warnings.allSatisfy { $0.line.contains(Self.type) && $0.message.contains("cannot wake phones") }
            )
            #expect(stock.warnings.allSatisfy { $0.remedy.contains("developer portal") })
        }
    }

    @Test func `have a default that the operator names`() async throws {
        let setting = "SALLYPORT_WALLET_DEFAULT_TEMPLATE"
        func chosen(_ template: String?, from stock: PassStock) throws -> Result<String, Failure> {
            let name: JSONValue = template.map { .string($0) } ?? .null
            let draft = try MemberDraft(try JSONReader(["externalId": "m-1", "name": "Hana", "template": name]))
            return Result { () throws(Failure) in try draft.chosen(from: stock).name }
        }
        func refusal(_ result: Result<String, Failure>) -> Failure? {
            if case .failure(let failure) = result { failure } else { nil }
        }
        let one = try await stock { _ in }
        #expect(try chosen(nil, from: one).get() == "member")
        let two = try await stock { try WalletFolders.addEvent($0) }
        let unnamed = refusal(try chosen(nil, from: two))
        #expect(unnamed?.code == .invalidRequest && unnamed?.field == "template")
        #expect(unnamed?.message.hasSuffix("none of them is the default. Name one of: event, member.") == true)
        let unknown = refusal(try chosen("gold", from: two))
        #expect(unknown?.message == "There is no such template; there are: event, member.")
        #expect(try chosen("event", from: two).get() == "event")

        let named = try await stock([setting: "member"]) { try WalletFolders.addEvent($0) }
        #expect(named.problems == [])
        #expect(try chosen(nil, from: named).get() == "member")
        #expect(try chosen("event", from: named).get() == "event")

        // Nobody gets a card of another template than the operator has named.
        let absent = try await stock([setting: "gold"]) { _ in }
        #expect(
            absent.problems.map(\.line) == [
                "wallet.default_template: there is no template gold. Name one of member, or none."
            ]
        )
        #expect(refusal(try chosen(nil, from: absent))?.code == .unavailable)
        #expect(try chosen("member", from: absent).get() == "member")
        let broken = try await stock([setting: "event"]) { folder in
            try WalletFolders.addEvent(folder)
            try Files.write("\(folder)/templates/event/pass.json", Array("{".utf8), mode: 0o600)
        }
        #expect(!broken.problems.isEmpty && broken.problems.allSatisfy { !$0.line.contains("default") })
        #expect(refusal(try chosen(nil, from: broken))?.code == .unavailable)
    }

    @Test func `are read, in each form that a key comes in`() async throws {
        #expect(try await stock { _ in }.problems == [])
        let encrypted = try await stock { folder in
            try WalletFolders.put("pass-member.enc.key.pem", as: "\(Self.type).key", folder)
            try Files.write(
                "\(folder)/certificates/\(Self.type).passphrase",
                Array("sallyport-test\n".utf8),
                mode: 0o600
            )
        }
        #expect(encrypted.problems == [])
        for name in ["pass-member.p12", "pass-member.legacy.p12"] {
            let exported = try await stock { folder in
                try Files.remove("\(folder)/certificates/\(Self.type).pem")
                try Files.remove("\(folder)/certificates/\(Self.type).key")
                try WalletFolders.put(name, as: "\(Self.type).p12", folder)
                try Files.write(
                    "\(folder)/certificates/\(Self.type).passphrase",
                    Array("sallyport-test".utf8),
                    mode: 0o600
                )
            }
            #expect(exported.problems == [], "\(name)")
        }
        let der = try await stock { folder in
            try Files.remove("\(folder)/certificates/intermediate.pem")
            try WalletFolders.put("wwdr-test.cer", as: "intermediate.cer", folder)
        }
        #expect(der.problems == [])
    }

    @Test(arguments: [
        ("pass-expired", "pass-expired"), ("pass-otherteam", "pass-otherteam"), ("pass-nomarker", "pass-nomarker"),
        ("pass-member", "pass-expired"),
    ])
    func `stop a pass type where its certificate or key is wrong`(certificate: String, key: String) async throws {
        let broken = try await stock { folder in
            try WalletFolders.put("\(certificate).pem", as: "\(Self.type).pem", folder)
            try WalletFolders.put("\(key).key.pem", as: "\(Self.type).key", folder)
        }
        #expect(broken.usable.isEmpty)
        let problem = try #require(broken.problems.first)
        #expect(problem.line.contains(Self.type))
        #expect(!problem.message.isEmpty)
    }

    @Test func `are tried out by a pass that is judged as a phone does it`() async throws {
        // Images that are small when packed, and together more than a phone reads of a pass; one can be made of them.
        let broken = try await stock { folder in
            // A chunk of eleven megabytes of zeros: length, type, content, checksum.
            let content = Array("teSt".utf8) + [UInt8](repeating: 0, count: 11 << 20)
            let chunk: [UInt8] = [0x00, 0xB0, 0x00, 0x00] + content + [0xCF, 0xB4, 0x2A, 0x66]
            for name in ["logo", "logo@2x", "logo@3x", "strip", "strip@2x", "strip@3x"] {
                let path = "\(folder)/templates/member/\(name).png"
                var image = try Files.read(path)
                // Before the last chunk, which has twelve bytes.
                image.insert(contentsOf: chunk, at: image.count - 12)
                try Files.write(path, image, mode: 0o600)
            }
        }
        #expect(broken.usable.isEmpty)
        let line = broken.problems.map(\.line).joined(separator: "\n")
        #expect(line.contains("/templates/member") && !line.contains("EFBIG"), "\(line)")
        let small = try await stock { folder in
            let path = "\(folder)/templates/member/pass.json"
            let text = String(decoding: try Files.read(path), as: UTF8.self)
            // A place of the shop's own that takes texts alone.
            try Files.write(path, Array(text.replacing("\"NEAR\"", with: "\"{{near}}\"").utf8), mode: 0o600)
        }
        #expect(small.problems == [])
    }

    @Test func `say which file is missing, wrong or open to others`() async throws {
        func line(_ change: (String) throws -> Void) async throws -> String {
            let broken = try await stock([:], change)
            #expect(broken.usable.isEmpty)
            return broken.problems.map(\.line).joined(separator: "\n")
        }
        #expect(
            try await line { try Files.remove("\($0)/certificates/\(Self.type).key") }.contains(
                "\(Self.type).key: is not there"
            )
        )
        #expect(
            try await line { try Files.remove("\($0)/certificates/\(Self.type).pem") }.contains(
                "\(Self.type).cer: is not there. Put the certificate of the pass type there"
            )
        )
        #expect(try await line { try Files.remove("\($0)/certificates/intermediate.pem") }.contains("intermediate"))
        #expect(
            try await line { try WalletFolders.put("pass-member.enc.key.pem", as: "\(Self.type).key", $0) }.contains(
                "passphrase"
            )
        )
        #expect(
            try await line { try WalletFolders.put("root.pem", as: "\(Self.type).key", $0) }.contains(
                "\(Self.type).key"
            )
        )
        #expect(
            try await line { try Files.setPermissions("\($0)/certificates/\(Self.type).key", mode: 0o644) }
                .contains("open to every user")
        )
        let noIcon = try await line { folder in
            for name in ["icon", "icon@2x", "icon@3x"] { try Files.remove("\(folder)/templates/member/\(name).png") }
        }
        #expect(noIcon.contains("icon"))
        #expect(try await line { try Files.removeTree("\($0)/templates") }.contains("wallet.templates"))
        #expect(try await line { try Files.removeTree("\($0)/certificates") }.contains("wallet.certificates"))
    }

    @Test func `that are wrong leave everything else as it is`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let before = try await wallet.fetch(card)
            #expect(wallet.process.health == .ok)
            let certificate = "\(wallet.folder)/certificates/\(Self.type).pem"
            let sound = try Files.read(certificate)
            try WalletFolders.put("pass-expired.pem", as: "\(Self.type).pem", wallet.folder)
            // Behind a start with what is wrong.
            wallet.process.files.current = PassStock(wallet.process.settings, at: SystemClock().now())
            guard case .degraded(let reason) = wallet.process.health else {
                throw FixtureError(description: "all is well")
            }
            #expect(reason.contains(Self.type))
            let refused = try await wallet.fetch(card)
            #expect(refused.status == 503)
            #expect(refused[.retryAfter] != nil)
            let known = [(HTTPFieldName.ifModifiedSince, try #require(before[.lastModified]))]
            #expect(try await wallet.fetch(card, fields: known).status == 304)
            #expect(try await wallet.register("D1", card).status == 201)
            #expect(try await wallet.list("D1")?.serials == [card.serial])
            try Files.write(certificate, sound, mode: 0o600)
            try wallet.process.reload()
            #expect(wallet.process.health == .ok)
            #expect(try await wallet.fetch(card).status == 200)
        }
    }

    @Test func `are read again, and what does not work any more goes on as it was`() async throws {
        let log = CapturedLog()
        try await withWallet(log: log) { wallet in
            let card = try await wallet.member()
            let pass = "\(wallet.folder)/templates/member/pass.json"
            let sound = try Files.read(pass)
            try Files.write(pass, Array("{".utf8), mode: 0o600)
            let refusal = #expect(throws: ConfigurationError.self) { try wallet.process.reload() }
            // As the log has it: the problem itself, and not what an error looks like in Swift.
            let words = refusal.map { String(reflecting: $0) } ?? ""
            #expect(words.contains("/templates/member pass.json: ") && !words.contains("problems"), "\(words)")
            #expect(try await wallet.fetch(card).status == 200)
            // Another look is a new version of each pass, once.
            let text = String(decoding: sound, as: UTF8.self).replacing("rgb(24, 44, 82)", with: "rgb(1, 2, 3)")
            try Files.write(pass, Array(text.utf8), mode: 0o600)
            #expect(log.lines(with: "wallet.reloaded").isEmpty)
            try wallet.process.reload()
            #expect(log.lines(with: "wallet.reloaded").count == 1)
            try await wallet.register("D1", card)
            let tag = try #require(try await wallet.list("D1")).tag
            for _ in 0..<2 {
                try await wallet.process.note(wallet.part.loop.database)
                try await wallet.part.walk(within: .unlimited)
            }
            #expect(try await wallet.list("D1", since: tag)?.serials == [card.serial])
            #expect(try wallet.version(card) == 2)
            let opened = try judged(try await wallet.fetch(card).body, of: card)
            #expect(opened.pass["backgroundColor"]?.text == "rgb(1, 2, 3)")
        }
    }

    @Test func `make each version once, whoever asks at the same time`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            let bodies = Bodies()
            for _ in 0..<8 {
                wallet.part.loop.reactor.startTask { bodies.all.append(try? await wallet.fetch(card).body) }
            }
            #expect(await waitUntil(wallet.part.loop.reactor) { bodies.all.count == 8 })
            #expect(Set(bodies.all).count == 1)
            #expect(bodies.all[0]?.isEmpty == false)
            #expect(wallet.process.files.built.value == 1)
            _ = try await wallet.change(card, .set(1))
            _ = try await wallet.fetch(card)
            #expect(wallet.process.files.built.value == 2)
        }
    }

    @Test func `have the shop told of their end, 60, 30 and 7 days before, once each`() async throws {
        try await withWallet { wallet in
            let stock = wallet.process.files.current
            let signer = try #require(stock.signers[Self.type.octets])
            func told(daysBefore days: Int) async throws -> [String?] {
                let now = signer.expires + .seconds(-days * 86_400 - 60)
                // As after a start, and as another process does it at the same time.
                for _ in 0..<2 {
                    let ends = PassCertificateEnds(MetricsRegistry())
                    try await ends.tell(of: stock, at: now, wallet.part.loop.database)
                }
                return try wallet.admin.rows(
                    """
                    SELECT data->>'withinDays' FROM event WHERE type = 'wallet.certificate.expiring' ORDER BY sequence
                    """
                ).map { $0[0] }
            }
            #expect(try await told(daysBefore: 60) == [])
            #expect(try await told(daysBefore: 59) == ["60"])
            #expect(try await told(daysBefore: 30) == ["60"])
            #expect(try await told(daysBefore: 29) == ["60", "30"])
            #expect(try await told(daysBefore: 6) == ["60", "30", "7"])
            #expect(try await told(daysBefore: 0) == ["60", "30", "7"])
            // A clock that goes back says nothing again.
            #expect(try await told(daysBefore: 40) == ["60", "30", "7"])
            let about = try wallet.admin.rows("SELECT DISTINCT data->>'passType', subject_kind FROM event")
            #expect(about == [[Self.type, "pass_type"]])
        }
    }

    @Test func `say as a metric when they end`() async throws {
        try await withTemporaryFolder { folder in
            try WalletFolders.fill(folder)
            let stock = PassStock(try settings(folder), at: SystemClock().now())
            let metrics = MetricsRegistry()
            let ends = PassCertificateEnds(metrics)
            ends.show(stock)
            ends.show(stock)
            let line =
                #"sallyport_certificate_not_after_timestamp_seconds{setting="wallet.certificates",pass_type="\#(Self.type)"}"#
            let text = metrics.prometheusText()
            #expect(
                text.contains("\(line) \(try #require(stock.signers[Self.type.octets]).expires.seconds)\n"),
                "\(text)"
            )
        }
    }

    @Test func `make no new version of what looks the same`() async throws {
        try await withWallet { wallet in
            let card = try await wallet.member()
            #expect(try await wallet.change(card, .set(7)).outcome == .changed)
            #expect(try await wallet.change(card, .set(7)).outcome == .unchanged)
            #expect(try await wallet.change(card, .add(0)).outcome == .unchanged)
            #expect(try wallet.version(card) == 2)
        }
    }
}

/// What several requests were answered.
private final class Bodies {
    var all: [[UInt8]?] = []
}

extension WalletFixture {
    func version(_ card: Card) throws -> Int? {
        try admin.rows("SELECT version FROM wallet_pass WHERE serial = '\(card.serial)'").first?[0].flatMap { Int($0) }
    }
}

@Suite struct `The template of the demo` {
    @Test func `has nothing that a phone would show otherwise, in any language`() throws {
        let folder = ProjectFolder.path("examples/wallet/templates/member")
        var files: [PassFile] = []
        for part in ["", "en.lproj/", "ja.lproj/"] {
            for name in try Files.list("\(folder)/\(part)") where !name.hasSuffix(".lproj") {
                files.append(PassFile(name: part + name, bytes: try Files.read("\(folder)/\(part)\(name)")))
            }
        }
        let template = try PassTemplate(name: "member", files: files)
        #expect(template.warnings == [])
        #expect(Set(template.placeholders) == ["name", "points", "memberId"])
    }
}
