import Cryptography
import MerchantOrders
import Operations
import Primitives
import ServerCore
import Settings
import StrictJSON
import Webhooks

/// `sallyport postage-key`: the key that a merchant's server checks questions for the postage with.
enum PostageKeyCommand {
    static let command = FeatureCommand(
        of: MerchantFeature.self,
        "postage-key",
        operands: "ORIGIN",
        "print the key that signs shipping cost requests to an origin",
        details: """
            ORIGIN has the form of merchant.postage_origins, https://HOST or https://HOST:PORT, and does not have to be in that setting yet. The
            key is derived from a key of merchant.secret_file, the origin and a number, and is the same each time;
            docs/postage.md describes how to change it. Prints one JSON line. Exit status: 0 done, 2 wrong use.
            """,
        options: [
            CommandOption("number", "N", "number of the key, as in merchant.postage_keys; default: the first of them")
        ],
        run: { feature, input, context in
            let order = try Order(input.arguments, feature.settings)
            let keyring = try context.features.keyring.demanded("keys are derived from it")
            let key: WebhookKey
            do throws(CryptographyError) {
                key = try PostageKeys(keyring).key(for: order.origin.description, number: order.number)
            } catch {
                throw ConfigurationError(problems: ["postage-key: \(error.detail)"])
            }
            let line: JSONValue = [
                "origin": .string(order.origin.description), "number": order.number.json,
                "keyId": .string(key.id), "secret": .string(key.text.reveal()),
            ]
            input.console.print(line.description)
            if !feature.settings.postageOrigins.contains(order.origin) {
                let problem = "is not in merchant.postage_origins, so no request is sent to it"
                input.console.complain("sallyport: \(order.origin) \(problem)")
            }
            return 0
        }
    ).with(
        examples: [
            "sallyport postage-key https://shop.example.com"
        ]
    )

    /// Which key is wanted.
    private struct Order {
        let origin: CallbackOrigin
        let number: PostageKeyNumber

        init(_ arguments: CommandLineArguments, _ settings: MerchantSettings) throws(ConfigurationError) {
            guard arguments.operands.count == 1,
                let origin = CallbackOrigin(setting: arguments.operands[0], orClearLoopback: true)
            else {
                throw ConfigurationError(problems: ["postage-key: name one origin, https://HOST or https://HOST:PORT"])
            }
            self.origin = origin
            number = try Order.number(arguments.values["number"]) ?? settings.postageKeys[0]
        }

        private static func number(_ text: String?) throws(ConfigurationError) -> PostageKeyNumber? {
            guard let text else { return nil }
            if let number = PostageKeyNumber(text) { return number }
            throw ConfigurationError(problems: ["postage-key: --number: \(PostageKeyNumber.form)"])
        }
    }
}
