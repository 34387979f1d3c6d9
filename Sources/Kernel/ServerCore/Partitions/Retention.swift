/// How long the rows of some partitioned tables are kept, counted from the end of their partition.
///
/// The tables are dropped together: one that says something of the rows of another stands before it. Their migrations say for how
/// long they are kept at least.
package struct Retention: Sendable, Hashable {
    /// What the log calls them.
    package let name: String
    private let tables: [Table]

    private struct Table: Sendable, Hashable {
        let name: StaticName
        let keep: Duration
    }

    /// One table.
    package init(_ table: StaticName, keep: Duration) {
        self.init(table.text, [(table, keep)])
    }

    /// Some tables, in the order in which they are dropped.
    package init(_ name: String, _ tables: [(table: StaticName, keep: Duration)]) {
        self.name = name
        self.tables = tables.map { Table(name: $0.table, keep: $0.keep) }
    }

    /// An array of pairs of table and seconds.
    var json: String {
        "[" + tables.map { "[\"\($0.name.text)\",\($0.keep.components.seconds)]" }.joined(separator: ",") + "]"
    }
}

/// A name that stands in the sources.
package struct StaticName: Sendable, Hashable, ExpressibleByStringLiteral {
    let text: String

    package init(stringLiteral text: StaticString) { self.text = text.description }
}
