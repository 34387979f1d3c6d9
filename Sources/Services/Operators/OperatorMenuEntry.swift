package import Pages
import ServerCore
package import Web

/// A line of the menu of the staff's pages; a feature brings one for each place that a person goes to.
package struct OperatorMenuEntry: FeatureSlot {
    /// Where it leads; every path below it belongs to it.
    package let path: LinkTarget
    /// What it is called.
    package let title: Localized
    /// Who sees it.
    package let role: OperatorRole

    /// A line.
    package init(_ path: StaticString, _ title: Localized, role: OperatorRole = .view) {
        self.path = LinkTarget(own: path)
        self.title = title
        self.role = role
    }
}
