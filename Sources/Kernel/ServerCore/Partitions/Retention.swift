/// How long the rows of some partitioned tables are kept, counted from the end of their partition.
///
/// The tables are dropped together: one that says something of the rows of another stands before it. Their migrations say for how
/// long they are kept at least.
package struct Retention: Sendable, Hashable {
    /// What the log calls them.
    package let name: String
    private let tables: [Table]

    private struct Table: Sendable, Hashable {
        let name: String
        let keep: Duration
    }

    /// One table.
    package init(_ table: StaticString, keep: Duration) {
        self.init(table.description, [(table, keep)])
    }

    /// Some tables, in the order in which they are dropped; names that stand in the sources.
    package init(_ name: String, _ tables: [(table: StaticString, keep: Duration)]) {
        self.name = name
        self.tables = tables.map { Table(name: $0.table.description, keep: $0.keep) }
    }

    /// How long the one of its tables is kept that is kept longest.
    var longest: Duration { tables.map(\.keep).max() ?? .zero }

    /// An array of pairs of table and seconds.
    var json: String {
        "[" + tables.map { "[\"\($0.name)\",\($0.keep.components.seconds)]" }.joined(separator: ",") + "]"
    }
}
