import HTTPCore
import Operations
import ServerCore
import Web

/// `sallyport routes`: prints the route table.
enum RoutesCommand {
    static let command = Command(
        name: "routes",
        operands: "",
        summary: "print the route table",
        details: """
            Routes below /v1 are served where their feature is on, those of orders and payments if merchant.api is on.
            """,
        options: [],
        run: { input in
            let width = routes.map(\.site.text.count).max() ?? 0
            for route in routes {
                let columns = [
                    pad(route.site.text, max(6, width)), pad("\(route.method.text)", 5), pad(route.path, 42),
                    route.summary,
                ]
                input.console.print(columns.joined(separator: " "))
            }
            return 0
        }
    )

    /// Every route of the program, in the order in which it is printed.
    static let routes = FeatureList.all.routes + AdminPart.routes.flatMap(\.cards)

    /// Those that browsers, apps and operators ask for: none of the interface for merchants' programs and apps.
    static let pageRoutes = routes.filter { !$0.path.hasPrefix("/v1/") && !$0.path.hasPrefix("/app/v1/") }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
