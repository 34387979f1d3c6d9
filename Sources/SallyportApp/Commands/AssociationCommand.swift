import Operations
import Settings

/// `sallyport association`: prints an association file as the link host serves it.
enum AssociationCommand {
    static let command = Command(
        name: "association",
        operands: "",
        summary: "print the association file for iOS or Android",
        details: "The bytes are those that the link host serves, made from the settings `apps.ios` and `apps.android`.",
        options: [
            CommandOption("apple", nil, "apple-app-site-association"),
            CommandOption("android", nil, "assetlinks.json"),
        ],
        examples: [
            "sallyport association --apple --config sallyport.json"
        ],
        run: { input in
            await input.withConfiguration(for: .apps) { configuration in
                let files = try Associations(configuration)
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
        }
    )
}
