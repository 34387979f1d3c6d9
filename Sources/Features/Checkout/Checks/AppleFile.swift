import AppLinks
import StrictJSON

/// An `apple-app-site-association` that was read, from wherever it comes.
struct AppleFile {
    /// One entry of `applinks.details`.
    struct Entry {
        /// The old form's app.
        let appID: String?
        /// The new form's apps.
        let appIDs: [String]?
        let rules: LinkRules
        /// Whether the old form's rules are all there is.
        let isOld: Bool
        /// Whether a rule of the new form takes every address.
        let takesEverything: Bool
        /// Members that are not read here, so that what the entry opens is not known for certain.
        let unknown: [String]

        /// The apps that a phone finds here.
        func apps(_ form: LinkMatcher.Form) -> [String] {
            switch form {
            case .old: appID.map { [$0] } ?? []
            case .new: appIDs ?? appID.map { [$0] } ?? []
            }
        }

        /// Whether an address opens the app; without components newer phones read the old form.
        func opens(_ url: String, _ form: LinkMatcher.Form) -> Bool {
            LinkMatcher(rules).opens(url, form == .new && isOld ? .old : form)
        }
    }

    let entries: [Entry]
    /// What stands under `applinks.apps`.
    let linkedApps: [JSONValue]

    /// Reads a document; `nil` where it is no JSON object.
    init?(_ bytes: [UInt8]) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONParser.parse(bytes)
        } catch {
            return nil
        }
        guard case .object = root else { return nil }
        let links = root["applinks"]
        linkedApps = links?["apps"]?.elements ?? []
        var options = LinkPattern.Options()
        options.variables = (links?["substitutionVariables"]?.members ?? []).map { member in
            LinkPattern.Variable(member.name, member.value.elements.compactMap(\.text))
        }
        let shared = AppleFile.options(links?["defaults"], options)
        let unknown =
            AppleFile.unreadMembers(links, AppleFile.linkMembers) + AppleFile.unreadMembers(links?["defaults"], [])
        entries = (links?["details"]?.elements ?? []).map { AppleFile.entry($0, shared, unknown) }
    }

    // MARK: Members that are read

    private static let linkMembers = ["apps", "defaults", "details", "substitutionVariables"]
    private static let entryMembers = ["appID", "appIDs", "components", "defaults", "paths"]
    private static let componentMembers = ["/", "?", "#", "exclude", "comment"]
    /// Those of every component, or of the defaults for them.
    private static let optionMembers = ["caseSensitive", "percentEncoded"]

    /// The members of an object that nobody here reads.
    private static func unreadMembers(_ value: JSONValue?, _ known: [String]) -> [String] {
        (value?.members ?? []).map(\.name).filter { name in
            !(known + optionMembers).contains { $0.utf8.elementsEqual(name.utf8) }
        }
    }

    private static func options(_ value: JSONValue?, _ outer: LinkPattern.Options) -> LinkPattern.Options {
        var options = outer
        options.isCaseSensitive = value?["caseSensitive"]?.flag ?? outer.isCaseSensitive
        options.isPercentEncoded = value?["percentEncoded"]?.flag ?? outer.isPercentEncoded
        return options
    }

    private static func entry(_ value: JSONValue, _ shared: LinkPattern.Options, _ unknown: [String]) -> Entry {
        let own = options(value["defaults"], shared)
        let parts = value["components"]?.elements
        let components = parts?.map { component($0, own) }
        let rules = LinkRules(
            paths: (value["paths"]?.elements ?? []).compactMap(\.text),
            components: components ?? []
        )
        let unread =
            unreadMembers(value, entryMembers) + unreadMembers(value["defaults"], [])
            + (parts ?? []).flatMap { unreadMembers($0, componentMembers) }
        return Entry(
            appID: value["appID"]?.text,
            appIDs: value["appIDs"].map { $0.elements.compactMap(\.text) },
            rules: rules,
            isOld: components == nil,
            takesEverything: (components ?? []).contains { !$0.isExcluded && $0.takesEverything },
            unknown: unknown + unread
        )
    }

    private static func component(_ value: JSONValue, _ outer: LinkPattern.Options) -> LinkRules.Component {
        let query = (value["?"]?.members ?? []).map { member in
            LinkRules.QueryItem(name: member.name, pattern: member.value.text ?? "")
        }
        return LinkRules.Component(
            path: value["/"]?.text ?? "*",
            query: query,
            queryText: value["?"]?.text,
            fragment: value["#"]?.text,
            isExcluded: value["exclude"]?.flag ?? false,
            comment: value["comment"]?.text ?? "",
            options: options(value, outer)
        )
    }
}
