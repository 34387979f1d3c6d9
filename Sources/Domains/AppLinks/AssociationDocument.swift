import StrictJSON

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
    ///   - rules: Which addresses open them.
    package static func apple(_ apps: [AppleApp], _ rules: LinkRules) -> [UInt8] {
        var members: [JSONMember] = []
        let linked = apps.filter { $0.services.contains(.appLinks) }
        if !linked.isEmpty {
            // Systems before iOS 13 want the empty list.
            let entries = linked.map { details($0, rules) }
            members.append(JSONMember(AppleApp.Service.appLinks.rawValue, ["apps": [], "details": .array(entries)]))
        }
        for service in [AppleApp.Service.webCredentials, .activityContinuation, .appClips] {
            let named = apps.filter { $0.services.contains(service) }
            guard !named.isEmpty else { continue }
            members.append(JSONMember(service.rawValue, ["apps": texts(named.map(\.id))]))
        }
        return JSONValue.object(members).bytes
    }

    /// `assetlinks.json`.
    ///
    /// Served as `application/json` without redirect under `/.well-known`.
    ///
    /// - Parameters:
    ///   - rules: For apps that read them from here.
    /// - Returns: The document; a list of statements, one for each app.
    package static func android(_ apps: [AndroidApp], _ rules: LinkRules) -> [UInt8] {
        JSONValue.array(apps.map { statement($0, rules) }).bytes
    }

    // MARK: Parts

    private static func details(_ app: AppleApp, _ rules: LinkRules) -> JSONValue {
        [
            "appID": .string(app.id),
            "appIDs": [.string(app.id)],
            "paths": texts(rules.paths),
            "components": .array(rules.components.map { .object(pattern($0) + remarks($0)) }),
        ]
    }

    private static func statement(_ app: AndroidApp, _ rules: LinkRules) -> JSONValue {
        var members = [
            JSONMember("relation", texts(app.relations.map(\.rawValue))),
            JSONMember(
                "target",
                [
                    "namespace": "android_app",
                    "package_name": .string(app.package),
                    "sha256_cert_fingerprints": texts(app.fingerprints),
                ]
            ),
        ]
        if app.isDynamic {
            let components = JSONValue.array(rules.components.map { .object(pattern($0)) })
            let extensions: JSONValue = ["dynamic_app_link_components": components]
            let relation = JSONMember(AndroidApp.Relation.handleAllURLs.rawValue, extensions)
            members.append(JSONMember("relation_extensions", .object([relation])))
        }
        return .object(members)
    }

    /// What both systems read.
    private static func pattern(_ component: LinkRules.Component) -> [JSONMember] {
        var members = [JSONMember("/", .string(component.path))]
        if !component.query.isEmpty {
            members.append(JSONMember("?", .object(component.query.map { JSONMember($0.name, .string($0.pattern)) })))
        } else if let text = component.queryText {
            members.append(JSONMember("?", .string(text)))
        }
        if let fragment = component.fragment { members.append(JSONMember("#", .string(fragment))) }
        if component.isExcluded { members.append(JSONMember("exclude", true)) }
        return members
    }

    /// What Apple's systems read besides.
    private static func remarks(_ component: LinkRules.Component) -> [JSONMember] {
        let comment = JSONMember("comment", .string(component.comment))
        return component.isExcluded ? [comment] : [JSONMember("caseSensitive", true), comment]
    }

    private static func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map { .string($0) })
    }
}
