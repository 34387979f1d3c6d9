package import EventIO

/// The page of a feature, `docs/features/NAME.md`, with the rows that stand in no document of the program: below `## Settings` as in
/// docs/settings.md, below `## Routes` as in docs/contract.md, below `## Rights` and `## Functions` as in docs/schema.md; below
/// `## For the shop's programs` the routes below `/v1`, below `## For apps` those below `/app/v1`, below `## Commands` one call of
/// each command, with the statuses that it may end with in a shop of which the feature knows nothing.
package struct FeaturePage: Sendable {
    private let text: String

    /// Every page.
    package static func all() throws(IOError) -> [FeaturePage] {
        let folder = ProjectFolder.path("docs/features")
        guard Files.exists(folder) else { return [] }
        var pages: [FeaturePage] = []
        for name in try Files.list(folder).sorted() where name.hasSuffix(".md") {
            pages.append(FeaturePage(text: String(decoding: try Files.read("\(folder)/\(name)"), as: UTF8.self)))
        }
        return pages
    }

    /// The rows below a heading: what stands in the cells, without blanks at the ends.
    package func rows(_ heading: String) -> [[String]] {
        let sections = text.split(separator: "\n## ").filter { $0.hasPrefix(heading + "\n") }
        return sections.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
    }

    /// What stands between backquotes in the first cell of each row below a heading.
    package func names(_ heading: String) -> [String] {
        rows(heading).compactMap { row in
            row.first?.split(separator: "`", omittingEmptySubsequences: false).dropFirst().first.map(String.init)
        }
    }

    /// The same of all pages.
    package static func names(_ heading: String) throws(IOError) -> Set<String> {
        Set(try all().flatMap { $0.names(heading) })
    }
}
