/// The documents by which the link host vouches for the apps.
///
/// They depend on settings only and on no clock, so the same settings give the same bytes and an entity tag made of them
/// holds on every machine. UTF-8 without a byte order mark, no blanks.
package enum AssociationDocument {
    /// `apple-app-site-association`, in the old and the new form at once.
    ///
    /// Served as `application/json` without redirect, at the root and under `/.well-known`; at most 128 KB. One entry for each
    /// app; services that no app has are left out.
    ///
    /// - Parameters:
    ///   - apps: In the order of the settings.
    ///   - rules: Which addresses open them.
    /// - Returns: The document.
    package static func apple(_ apps: [AppleApp], _ rules: LinkRules) -> [UInt8] {
        var members: [(String, JSONText)] = []
        let linked = apps.filter { $0.services.contains(.appLinks) }
        if !linked.isEmpty {
            let entries = linked.map { details($0, rules) }
            // Systems before iOS 13 want this empty list.
            members.append(
                (AppleApp.Service.appLinks.rawValue, .members([("apps", .list([])), ("details", .list(entries))]))
            )
        }
        for service in [AppleApp.Service.webCredentials, .activityContinuation, .appClips] {
            let named = apps.filter { $0.services.contains(service) }
            guard !named.isEmpty else { continue }
            members.append((service.rawValue, .members([("apps", .list(named.map { .text($0.id) }))])))
        }
        return JSONText.members(members).bytes
    }

    /// `assetlinks.json`.
    ///
    /// Served as `application/json` without redirect under `/.well-known`.
    ///
    /// - Parameters:
    ///   - apps: In the order of the settings.
    ///   - rules: For apps that read them from here.
    /// - Returns: The document; a list of statements, one for each app.
    package static func android(_ apps: [AndroidApp], _ rules: LinkRules) -> [UInt8] {
        JSONText.list(apps.map { statement($0, rules) }).bytes
    }

    // MARK: Parts

    private static func details(_ app: AppleApp, _ rules: LinkRules) -> JSONText {
        .members([
            ("appID", .text(app.id)),
            ("appIDs", .list([.text(app.id)])),
            ("paths", .list(rules.paths.map { .text($0) })),
            ("components", .list(rules.components.map { .members(pattern($0) + remarks($0)) })),
        ])
    }

    private static func statement(_ app: AndroidApp, _ rules: LinkRules) -> JSONText {
        var members: [(String, JSONText)] = [
            ("relation", .list(app.relations.map { .text($0.rawValue) })),
            (
                "target",
                .members([
                    ("namespace", .text("android_app")),
                    ("package_name", .text(app.package)),
                    ("sha256_cert_fingerprints", .list(app.fingerprints.map { .text($0) })),
                ])
            ),
        ]
        if app.isDynamic {
            let components = JSONText.list(rules.components.map { .members(pattern($0)) })
            let extensions = JSONText.members([("dynamic_app_link_components", components)])
            members.append(
                ("relation_extensions", .members([(AndroidApp.Relation.handleAllURLs.rawValue, extensions)]))
            )
        }
        return .members(members)
    }

    /// What both systems read.
    private static func pattern(_ component: LinkRules.Component) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = [("/", .text(component.path))]
        if !component.query.isEmpty {
            members.append(("?", .members(component.query.map { ($0.name, .text($0.pattern)) })))
        }
        if component.isExcluded { members.append(("exclude", .flag(true))) }
        return members
    }

    /// What Apple's systems read besides.
    private static func remarks(_ component: LinkRules.Component) -> [(String, JSONText)] {
        let comment: (String, JSONText) = ("comment", .text(component.comment))
        return component.isExcluded ? [comment] : [("caseSensitive", .flag(true)), comment]
    }
}
