import Cryptography
import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON
import WalletPass

/// `sallyport wallet`: looks at templates, certificates, finished passes and members, and has phones woken.
enum WalletCommand {
    static let command = FeatureCommand(
        of: WalletFeature.self,
        "wallet",
        operands: "certificates|build TEMPLATE FILE|check FILE...|member ID|push [PASS_TYPE]",
        "look at pass templates, certificates, finished passes and members; wake phones",
        details: """
            certificates prints the certificate of each pass type, and what is wrong with it or with a template. build makes a pass of
            a template and writes it to a file; it has no web service, so that no phone asks for news of it. check judges passes, and
            bundles of passes (.pkpasses), as phones do, under the certificates of --trust. member prints a member with passes, phones
            and history; ID is that of the account or the shop's own. push has all phones woken with cards of a pass type, or with
            --account those of one member; the program that serves sends the pushes, wallet.wake_rate a second for a type. A phone that
            is woken asks for news, and shows nothing where there is none. It is recorded as `sallyport audit --operators` shows. Exit
            status: 0 done, 1 something is wrong, 2 wrong use.
            """,
        options: [
            CommandOption("fields", "JSON", "build: what is filled in, an object of texts and whole numbers"),
            CommandOption("serial", "TEXT", "build: the serial number; default: a random one"),
            CommandOption("trust", "FILE", "check: certificates of the root that passes have to lead to, PEM or DER"),
            CommandOption("account", "ID", "push: the member whose phones are woken, by account or the shop's own id"),
        ] + OperatorTrail.options,
        run: { feature, input, context in
            let operands = input.arguments.operands
            switch (operands.first, operands.count) {
            case ("certificates", 1): return certificates(feature.settings, input.console)
            case ("build", 3): return try build(feature.settings, operands[1], operands[2], input)
            case ("check", 2...): return try check(Array(operands.dropFirst()), input)
            case ("member", 2): return try await member(operands[1], input.console, context)
            case ("push", _):
                let account = input.arguments.values["account"]
                return try await push(try PushTarget(operands: operands.dropFirst(), account: account), input, context)
            default:
                throw ConfigurationError(problems: ["wallet: name one of certificates, build, check, member and push"])
            }
        }
    ).with(
        examples: [
            "sallyport wallet certificates",
            "sallyport wallet build member card.pkpass --fields '{\"name\":\"Hana\",\"points\":100,\"memberId\":\"m-1\"}'",
            "sallyport wallet check card.pkpass --trust AppleRootCA.cer",
            "sallyport wallet push pass.com.example.shop.member --reason 'new opening hours'",
        ]
    )

    private static func certificates(_ settings: WalletSettings, _ console: Console) -> Int32 {
        let stock = PassStock(settings, at: SystemClock().now())
        for signer in stock.signers.values.sorted(by: { $0.passType.octets < $1.passType.octets }) {
            let line: JSONValue = [
                "passType": .string(signer.passType), "team": .string(signer.team),
                "expires": .string(CalendarDate(signer.expires).extendedText),
                "fingerprint": .string(signer.certificateDigest.hexadecimal),
                "templates": .array(
                    stock.usable.filter { $0.passType.octets == signer.passType.octets }.map { .string($0.name) }
                ),
            ]
            console.print(line.description)
        }
        for warning in stock.warnings { console.complain("sallyport: warning: \(warning.line)") }
        for problem in stock.problems { console.complain("sallyport: \(problem.line)") }
        return stock.problems.isEmpty ? 0 : 1
    }

    private static func build(
        _ settings: WalletSettings,
        _ name: String,
        _ path: String,
        _ input: CommandInput
    ) throws -> Int32 {
        let now = SystemClock().now()
        let stock = PassStock(settings, at: now)
        guard let template = stock.usable(name), let signer = stock.signers[template.passType.octets]
        else {
            for problem in stock.problems { input.console.complain("sallyport: \(problem.line)") }
            let names = stock.usable.isEmpty ? "none" : stock.usable.map(\.name).joined(separator: ", ")
            throw ConfigurationError(problems: ["wallet: there is no sound template \(name); those are: \(names)"])
        }
        let fields: [String: PassValue]
        do {
            fields = try PassFields.read(Array((input.arguments.values["fields"] ?? "{}").utf8))
        } catch {
            throw ConfigurationError(problems: ["wallet: --fields: not a JSON object of texts and whole numbers"])
        }
        let missing = template.placeholders.filter { fields[$0] == nil }
        guard missing.isEmpty else {
            let names = missing.joined(separator: ", ")
            throw ConfigurationError(problems: ["wallet: --fields: the template \(name) needs \(names), too"])
        }
        let values = PassValues(
            serialNumber: input.arguments.values["serial"] ?? Serial.random(KernelRandom()),
            fields: fields
        )
        do {
            let file = try signer.package(template, try template.content(values), at: now)
            try Files.write(path, file, mode: 0o644)
            input.console.remark("\(path): \(file.count) bytes")
            return 0
        } catch let error as IOError {
            throw ConfigurationError(problems: ["wallet: \(path) cannot be written: \(error.sentence)"])
        } catch {
            throw ConfigurationError(problems: ["wallet: \(error)"])
        }
    }

    private static func check(_ paths: [String], _ input: CommandInput) throws -> Int32 {
        guard let trust = input.arguments.values["trust"] else {
            throw ConfigurationError(problems: ["wallet: --trust: name the certificates that passes have to lead to"])
        }
        let roots: [X509Certificate]
        do {
            roots = try X509Certificate.list(try Files.read(trust, limit: 1 << 20))
        } catch let error as IOError {
            throw ConfigurationError(problems: ["wallet: --trust: \(trust) cannot be read: \(error.sentence)"])
        } catch {
            throw ConfigurationError(problems: ["wallet: --trust: \(trust) is no certificate in PEM or DER"])
        }
        let judge = PassJudge(trust: roots)
        var isSound = true
        for path in paths {
            let file: [UInt8]
            do {
                file = try Files.read(path, limit: PassBundle.byteLimit)
            } catch {
                throw ConfigurationError(problems: ["wallet: \(path) cannot be read: \(error.sentence)"])
            }
            let now = SystemClock().now()
            let verdicts =
                path.octets.ends(with: ".pkpasses") ? judge.judgeBundle(file, at: now) : [judge.judge(file, at: now)]
            let conforms = verdicts.allSatisfy(\.isConforming)
            for finding in verdicts.flatMap(\.findings) {
                input.console.print("\(path): \(finding.severity == .warning ? "warning " : "")\(finding)")
            }
            input.console.print("\(path): \(conforms ? "conforms" : "does not conform")")
            isSound = isSound && conforms
        }
        return isSound ? 0 : 1
    }

    private static func member(_ id: String, _ console: Console, _ context: any CommandContext) async throws -> Int32 {
        let json = try await context.connected { _, database -> [UInt8]? in
            let listed = try await database.read(MemberStatement.byExternalID(id)).single()
            guard let account = listed?.account ?? UUIDBytes(id) else { return nil }
            return try await database.read(MemberStatement.read(account)).first()?.utf8
        }
        guard let json else {
            console.complain("sallyport: there is no such member")
            return 1
        }
        console.print(String(decoding: json, as: UTF8.self))
        return 0
    }
}
