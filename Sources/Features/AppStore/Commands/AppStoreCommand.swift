import AppStoreTransactions
import EventIO
import Operations
import Postgres
import Primitives
import ServerCore
import Settings
import StrictJSON

/// `sallyport appstore`: judges signed texts, and looks at ledgers.
enum AppStoreCommand {
    static let command = FeatureCommand(
        of: AppStoreFeature.self,
        "appstore",
        operands: "verify FILE...|account ID",
        "judge signed texts of the App Store, and look at an account's ledgers",
        details: """
            verify judges signed texts, one a line, as purchases, notifications, renewals or app transactions, whichever they are, under
            the roots and the app of the settings, and prints a line of JSON for each: what was signed, or why it is refused. - reads
            from standard input. account prints the ledgers of an account with purchases and entries. Exit status: 0 done, 1 a text is
            refused or there is no such account, 2 wrong use.
            """,
        run: { feature, input, context in
            let operands = input.arguments.operands
            guard feature.settings.isOn else {
                throw ConfigurationError(problems: [
                    "appstore: set \(AppStoreSettings.switches.joined(separator: ", ")) first"
                ])
            }
            switch (operands.first, operands.count) {
            case ("verify", 2...): return try verify(Array(operands.dropFirst()), feature.settings, input.console)
            case ("account", 2): return try await account(operands[1], input.console, context)
            default: throw ConfigurationError(problems: ["appstore: name one of verify and account"])
            }
        }
    ).with(
        examples: [
            "sallyport appstore verify transaction.jws",
            "sallyport appstore account 0190a5f2-7c3b-7d1e-9f2a-5b8c1d4e6f70",
        ]
    )

    private static func verify(_ paths: [String], _ settings: AppStoreSettings, _ console: Console) throws -> Int32 {
        let verifiers = try AppStoreVerifiers(settings)
        var isGood = true
        for path in paths {
            let content: [UInt8]
            do {
                content = try Files.read(path.octets == "-" ? "/dev/stdin" : path)
            } catch {
                throw ConfigurationError(problems: ["appstore: \(path) cannot be read: \(error.sentence)"])
            }
            for line in content.split(separator: UInt8(ascii: "\n")) {
                do throws(SignedTextRefusal) {
                    console.print(try verifiers.payload(Array(line), at: SystemClock().now()).description)
                } catch {
                    isGood = false
                    let refusal: JSONValue = ["refused": .string(error.code), "reason": .string(error.reason.rawValue)]
                    console.print(refusal.description)
                }
            }
        }
        return isGood ? 0 : 1
    }

    private static func account(_ id: String, _ console: Console, _ context: any CommandContext) async throws -> Int32 {
        let json = try await context.connected { _, database -> [UInt8]? in
            guard let account = UUIDBytes(id) else { return nil }
            return try await database.read(PurchaseStatement.export(account)).first()?.utf8
        }
        guard let json else {
            console.complain("sallyport: there is no such account, or nothing of it")
            return 1
        }
        console.print(String(decoding: json, as: UTF8.self))
        return 0
    }
}
