import HTTPCore
import MerchantAPI

/// `sallyport routes`: prints the route table.
enum RoutesCommand {
    static let command = Command(
        name: "routes",
        operands: "",
        summary: "print the route table",
        details: "Those below /v1 are served where merchant.api is on; /v1/openapi.json describes them in full.",
        options: [],
        run: { input in
            for route in RouteTable.all {
                let columns = [
                    pad(route.face.rawValue, 6), pad("\(route.method.text)", 5), pad("\(route.path)", 42),
                    route.meaning,
                ]
                input.console.print(columns.joined(separator: " "))
            }
            for route in MerchantRouteTable.all {
                let columns = [
                    pad("web", 6), pad("\(route.description.method.text)", 5), pad(route.description.path.text, 42),
                    route.description.summary,
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
