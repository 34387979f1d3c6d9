import HTTPCore

/// `sallyport routes`: prints the route table.
enum RoutesCommand {
    static let command = Command(
        name: "routes",
        operands: "",
        summary: "print the route table",
        details: "",
        options: [],
        run: { input in
            for route in RouteTable.all {
                let columns = [
                    pad(route.face.rawValue, 6), pad("\(route.method.text)", 5), pad("\(route.path)", 42),
                    route.meaning,
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
