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
        linkedApps = root["applinks"]?["apps"]?.elements ?? []
        entries = (root["applinks"]?["details"]?.elements ?? []).map(AppleFile.entry)
    }

    private static func entry(_ value: JSONValue) -> Entry {
        let components = value["components"]?.elements.map(component)
        let rules = LinkRules(
            paths: (value["paths"]?.elements ?? []).compactMap(\.text),
            components: components ?? []
        )
        return Entry(
            appID: value["appID"]?.text,
            appIDs: value["appIDs"].map { $0.elements.compactMap(\.text) },
            rules: rules,
            isOld: components == nil,
            takesEverything: (components ?? []).contains { !$0.isExcluded && $0.takesEverything }
        )
    }

    private static func component(_ value: JSONValue) -> LinkRules.Component {
        let query = (value["?"]?.members ?? []).map { member in
            LinkRules.QueryItem(name: member.name, pattern: member.value.text ?? "")
        }
        return LinkRules.Component(
            path: value["/"]?.text ?? "*",
            query: query,
            queryText: value["?"]?.text,
            fragment: value["#"]?.text,
            isExcluded: value["exclude"]?.flag ?? false,
            comment: value["comment"]?.text ?? ""
        )
    }
}
