import HTTPCore
import Operations
import Web

/// `sallyport routes`: prints the route table.
enum RoutesCommand {
    static let command = Command(
        name: "routes",
        operands: "",
        summary: "print the route table",
        details: "Those below /v1 are served where merchant.api is on; /v1/openapi.json describes them in full.",
        options: [],
        run: { input in
            let routes = RouteTable.all + MerchantInterface.routes.cards
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

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
