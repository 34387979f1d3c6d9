package import Primitives
package import Settings
package import StrictJSON

/// What a feature needs in a demo.
package struct FeatureDemo: Sendable {
    /// Settings that name files with secrets, and the names of the files that `demo` makes for them, without `.secret`.
    let secrets: [String: String]
    /// Files of secrets in a form of their own.
    let files: [DemoFile]
    private let settings: @Sendable (DemoSource) -> [String: JSONValue]

    /// Files with secrets, and what is filled in for other settings where nothing is set, by name, as a file has them.
    package init(
        secrets: [String: String] = [:],
        files: [DemoFile] = [],
        settings: @escaping @Sendable (DemoSource) -> [String: JSONValue] = { _ in [:] }
    ) {
        self.secrets = secrets
        self.files = files
        self.settings = settings
    }

    /// All that is filled in.
    func settings(_ demo: DemoSource) -> [String: JSONValue] {
        let made = secrets.map { ($0.key, $0.value) } + files.map { ($0.setting, $0.name) }
        return made.reduce(into: settings(demo)) { all, file in
            if all[file.0] == nil { all[file.0] = .string(demo.secretPath(file.1)) }
        }
    }
}

/// A file with secrets that `demo` makes for a setting.
package struct DemoFile: Sendable {
    let setting: String
    /// Without `.secret`.
    package let name: String
    /// Gives the content.
    package let make: @Sendable (any RandomSource) -> [UInt8]

    /// A file.
    package init(_ setting: String, _ name: String, make: @escaping @Sendable (any RandomSource) -> [UInt8]) {
        self.setting = setting
        self.name = name
        self.make = make
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
