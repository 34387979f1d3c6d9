import AppLinks
import Operations
import Primitives
import ServerCore

/// D05 to D12: what the association file for iOS says, written by this program or another.
struct AppleFileChecks {
    /// What the findings are about where they are about no app.
    static let subject = "apple-app-site-association"

    let bytes: [UInt8]
    let apps: [AppSettings.IOS]
    let settings: ExaminedSettings

    var findings: [Finding] {
        var found = size
        guard let file = AppleFile(bytes) else {
            return found + [
                Finding(
                    "D05",
                    .error,
                    AppleFileChecks.subject,
                    "It has to be a JSON object in UTF-8, without a byte order mark.",
                    remedy: "Serve what `sallyport association --apple` prints, octet by octet."
                )
            ]
        }
        if !file.linkedApps.isEmpty {
            found.append(
                Finding(
                    "D06",
                    .error,
                    AppleFileChecks.subject,
                    "apps under applinks is not empty.",
                    remedy: "Make it an empty list: apps belong into details."
                )
            )
        }
        for (index, entry) in file.entries.enumerated() {
            found += rules(of: entry, "\(AppleFileChecks.subject) details[\(index)]")
        }
        return found + returnLink(file) + pages(file)
    }

    private var size: [Finding] {
        guard bytes.count > 64 << 10 else { return [] }
        let isTooLarge = bytes.count > 128 << 10
        return [
            Finding(
                "D05",
                isTooLarge ? .error : .warning,
                AppleFileChecks.subject,
                "It has \(bytes.count) octets; phones take 131072.",
                remedy: "Remove apps that are no longer in use."
            )
        ]
    }

    // MARK: One entry

    private func rules(of entry: AppleFile.Entry, _ subject: String) -> [Finding] {
        var found: [Finding] = []
        func add(_ check: String, _ severity: Severity, _ message: String, _ remedy: String) {
            found.append(Finding(check, severity, subject, message, remedy: remedy))
        }
        switch (entry.appID, entry.appIDs) {
        case (nil, nil), (nil, []?): add("D07", .error, "It names no app.", "Give appID and appIDs.")
        case (let one?, let many?) where !many.contains(one):
            add("D07", .error, "appID and appIDs name different apps.", "Name the same app in both.")
        default: break
        }
        if !entry.unknown.isEmpty {
            // Foreign text: only what is plainly a name is repeated.
            let name = entry.unknown.first { PrintableText.isGood($0, length: 1...40) } ?? "with an odd name"
            add(
                "D05",
                .note,
                "It has members that are not known here (\(name)); what the entry opens was judged without them.",
                "Try the return link on a phone."
            )
        }
        if entry.rules.paths.contains("*") || entry.takesEverything {
            add(
                "D08",
                .warning,
                "Every address of the host opens the app.",
                "Name the path of the return link, \(ReturnLink.path), alone."
            )
        }
        let loose = entry.rules.components.filter { !$0.isExcluded }.flatMap(\.query).filter { $0.pattern == "*" }
        for item in loose {
            add(
                "D09",
                .warning,
                "The pattern * for \(item.name) matches an address without it too.",
                "Write ?* to demand at least one character."
            )
        }
        if isShadowed(entry) {
            add(
                "D10",
                .error,
                "A rule after the rule that excludes everything has no effect: the first match decides.",
                "Put the rule that excludes everything last."
            )
        }
        return found
    }

    /// Whether a rule comes too late to match anything.
    private func isShadowed(_ entry: AppleFile.Entry) -> Bool {
        let isLate = entry.rules.paths.dropLast().contains("NOT *")
        let components = entry.rules.components.dropLast()
        return isLate || components.contains { $0.isExcluded && $0.takesEverything }
    }

    // MARK: The whole file

    /// The link that the confirm page would show has to open each app, on old phones and on new ones.
    private func returnLink(_ file: AppleFile) -> [Finding] {
        guard let link else { return [] }
        return apps.enumerated().flatMap { index, app -> [Finding] in
            let id = app.prefix + "." + app.bundle
            guard !app.isClip else { return [] }
            return LinkMatcher.Form.allCases.filter { form in
                !file.entries.contains { $0.apps(form).contains(id) && $0.opens(link, form) }
            }.map { form in
                Finding(
                    "D11",
                    severity(file.entries.filter { $0.apps(form).contains(id) }),
                    "apps.ios[\(index)]",
                    "The return link does not open \(id) on iOS \(form == .old ? "12 and older" : "13 and later").",
                    remedy: "Add applinks to the app's services, and serve what `sallyport association --apple` prints."
                )
            }
        }
    }

    /// How sure it is what some entries open: members that are not known here may change it.
    private func severity(_ entries: [AppleFile.Entry]) -> Severity {
        entries.contains { !$0.unknown.isEmpty } ? .note : .error
    }

    /// A link as it is shown to a buyer.
    private var link: String? { settings.link.flatMap { ReturnLink.sample(base: $0.origin)?.text } }

    /// No page of the shop may jump into an app.
    private func pages(_ file: AppleFile) -> [Finding] {
        settings.webPaths.filter { path in
            LinkMatcher.Form.allCases.contains { form in file.entries.contains { $0.opens(path, form) } }
        }.map { path in
            Finding(
                "D12",
                severity(file.entries),
                AppleFileChecks.subject,
                "The page \(path) would open the app.",
                remedy: "Name the path of the return link, \(ReturnLink.path), alone."
            )
        }
    }
}
