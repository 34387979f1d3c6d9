import Operations
import ServerCore
import Settings

/// `sallyport association`: prints an association file as the link host serves it.
enum AssociationCommand {
    static let command = FeatureCommand(
        of: CheckoutFeature.self,
        "association",
        "print the association file for iOS or Android",
        details: "The file is the one that the link host serves, from the settings `apps.ios` and `apps.android`.",
        options: [
            CommandOption("apple", nil, "apple-app-site-association"),
            CommandOption("android", nil, "assetlinks.json"),
        ],
        scope: { _ in .apps },
        run: { feature, input, _ in
            let files = try Associations(feature.settings)
            let chosen: (setting: String, file: [UInt8]?)
            switch (input.arguments.flags.contains("apple"), input.arguments.flags.contains("android")) {
            case (true, false): chosen = ("apps.ios", files.apple)
            case (false, true): chosen = ("apps.android", files.android)
            default: throw ConfigurationError(problems: ["association: choose --apple or --android"])
            }
            guard let file = chosen.file else {
                throw ConfigurationError(problems: ["\(chosen.setting): no app is set"])
            }
            input.console.print(String(decoding: file, as: UTF8.self))
            return 0
        }
    ).with(
        examples: [
            "sallyport association --apple --config sallyport.json"
        ]
    )
}
