import AppLinks
import EventIO
import HTTPCore
import Operations
import ServerCore
import Settings

/// `sallyport link`: a return link for a simulator or an emulator, and whether a link opens the app.
enum LinkCommand {
    static let command = FeatureCommand(
        of: CheckoutFeature.self,
        "link",
        operands: "[LINK]",
        "print a sample return link, or check whether a link opens the app",
        details: """
            --sample: prints a link of the right form that belongs to no session. Use it to test that links open the app, which
            has to refuse this one.
            LINK: prints whether iOS and Android open the app for it by the rules of the association files, and whether its form
            is right. An unused link is a secret, and the shell keeps it in its history.
            Exit status: 0 the link opens the app and has the right form, 1 not, 2 wrong use.
            """,
        options: [
            CommandOption("sample", nil, "print a sample link"),
            CommandOption("ios", nil, "with --sample: the command that opens it in the iOS simulator"),
            CommandOption("android", nil, "with --sample: the command that opens it in an emulator or on a device"),
        ],
        scope: { _ in .apps },
        run: { feature, input, context in
            let (flags, operands) = (input.arguments.flags, input.arguments.operands)
            switch (flags.contains("sample"), flags.contains("ios"), flags.contains("android")) {
            case (true, let isApple, let isAndroid) where operands.isEmpty && !(isApple && isAndroid):
                let link = try sample(context.link)
                let lines = isApple ? [simulator(link)] : isAndroid ? devices(link, feature.settings) : [link]
                for line in lines { input.console.print(line) }
                return 0
            case (false, false, false) where operands.count == 1:
                return judge(operands[0], feature.settings, context.link.text, input.console)
            default:
                throw ConfigurationError(problems: [
                    "link: give one link, or --sample alone, with --ios or --android"
                ])
            }
        }
    ).with(
        examples: [
            "sallyport link --sample",
            "sallyport link --sample --ios",
            "sallyport link --sample --android",
        ]
    )

    private static func sample(_ host: WebOrigin) throws(ConfigurationError) -> String {
        guard let link = ReturnLink.sample(base: host.text) else {
            throw ConfigurationError(problems: ["link.base_url: this value gives no valid return link"])
        }
        return link.text
    }

    private static func simulator(_ link: String) -> String { "xcrun simctl openurl booted '\(link)'" }

    /// A line for each app: one that is named takes the link before the system has verified the host.
    private static func devices(_ link: String, _ settings: CheckoutSettings) -> [String] {
        let packages = settings.apps.android.map { " " + $0.package }
        return (packages.isEmpty ? [""] : packages).map { package in
            // In quotes twice: a shell here, and one on the device.
            let intent = "-a android.intent.action.VIEW -c android.intent.category.BROWSABLE -d '\(link)'\(package)"
            return "adb shell \"am start -W \(intent)\""
        }
    }

    private static func judge(
        _ text: String,
        _ settings: CheckoutSettings,
        _ origin: String,
        _ console: Console
    ) -> Int32 {
        guard text.hasPrefix(origin + "/") else {
            console.print("It opens no app: it does not begin with \(origin)/ (link.base_url).")
            return 1
        }
        let matcher = LinkMatcher(Associations.rules(settings))
        var isOpening = true
        // Android goes by the path of the intent filter, which is that of the old form.
        let systems: [(name: String, form: LinkMatcher.Form)] = [
            ("iOS 13 and later", .new), ("iOS 12 and older", .old), ("Android", .old),
        ]
        for system in systems {
            let opens = matcher.opens(text, system.form)
            isOpening = isOpening && opens
            console.print("\(system.name): \(opens ? "opens the app" : "stays in the browser")")
        }
        for item in matcher.unmet(text) { console.print("\(item.name) has to look like \(item.pattern)") }
        let isWritten = ReturnLink.isWritten(text, base: origin)
        console.print(isWritten ? "The form is right." : "The form is wrong: an app has to refuse it.")
        return isOpening && isWritten ? 0 : 1
    }
}
