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
            key is derived from merchant.secret_file, the origin and a number, and is the same each time;
            docs/postage.md describes how to change it. Prints one JSON line. Exit status: 0 done, 2 wrong use.
            """,
        options: [
            CommandOption("number", "N", "number of the key; default: the first of merchant.postage_keys")
        ],
        run: { feature, input, context in
            let servers = try context.features.read(WebhookDelivery.self).settings
            let order = try Order(input.arguments, feature.settings, servers)
            let key = try PostageKeys(secret: order.secret).key(for: order.origin.description, number: order.number)
            let line: JSONValue = [
                "origin": .string(order.origin.description), "number": JSONValue(order.number),
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
        let number: Int
        let secret: Secret<[UInt8]>

        init(
            _ arguments: CommandLineArguments,
            _ settings: MerchantSettings,
            _ servers: WebhookSettings
        ) throws(ConfigurationError) {
            guard arguments.operands.count == 1,
                let origin = CallbackOrigin(setting: arguments.operands[0], orClearLoopback: true)
            else {
                throw ConfigurationError(problems: ["postage-key: name one origin, https://HOST or https://HOST:PORT"])
            }
            self.origin = origin
            number = try Order.number(arguments.values["number"]) ?? settings.postageKeys[0]
            guard let secret = try servers.secret() else {
                throw ConfigurationError(problems: ["merchant.secret_file: not set, and keys are derived from it"])
            }
            self.secret = secret
        }

        private static func number(_ text: String?) throws(ConfigurationError) -> Int? {
            guard let text else { return nil }
            guard let number = DecimalDigits.parse(text.utf8Span.span, limit: PostageKeys.greatestNumber), number > 0
            else {
                let bound = PostageKeys.greatestNumber
                throw ConfigurationError(problems: ["postage-key: --number: a whole number from 1 to \(bound)"])
            }
            return number
        }
    }
}
