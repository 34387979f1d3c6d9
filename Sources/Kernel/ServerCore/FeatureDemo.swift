package import Settings
package import StrictJSON

/// What a feature needs in a demo.
package struct FeatureDemo: Sendable {
    /// Settings that name files with secrets, and the names of the files that `demo` makes for them, without `.secret`.
    let secrets: [String: String]
    private let settings: @Sendable (DemoSource) -> [String: JSONValue]

    /// Files with secrets, and what is filled in for other settings where nothing is set, by name, as a file has them.
    package init(
        secrets: [String: String] = [:],
        settings: @escaping @Sendable (DemoSource) -> [String: JSONValue] = { _ in [:] }
    ) {
        self.secrets = secrets
        self.settings = settings
    }

    /// All that is filled in.
    func settings(_ demo: DemoSource) -> [String: JSONValue] {
        settings(demo).merging(secrets.mapValues { .string(demo.secretPath($0)) }) { own, _ in own }
    }
}

/// First steps of somebody who has started a demo.
package struct Walkthrough: Sendable {
    /// Page to open in a browser: a path on the web host.
    package let page: String
    /// Sentences and commands, without a line break at the end.
    package let text: String

    /// Steps that begin with a page.
    package init(page: String, text: String) {
        self.page = page
        self.text = text
    }
}
