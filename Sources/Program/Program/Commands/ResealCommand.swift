import Cryptography
import EventIO
import Operations
import Postgres
import ServerCore
import Settings
import StrictJSON

/// `sallyport reseal`: seals under the newest key what features have sealed in the database.
enum ResealCommand {
    static let command = Command(
        name: "reseal",
        operands: "",
        summary: "seal anew what is not sealed under the newest key",
        details: """
            Goes through all columns with sealed values in small batches, while programs serve, and can be cut off and run again. When it is done,
            the older keys can be taken out of merchant.secret_file; docs/operations.md describes a change of keys. The role of the
            service is enough. Prints a JSON line for each column, and its progress on standard error. Exit status: 0 done, 1 some values are left,
            2 wrong use.
            """,
        options: [],
        examples: ["sallyport reseal --config sallyport.json"],
        run: { input in
            await FeatureCommandHost().run(input, for: .everything) { features, context in
                let keyring = try features.keyring.demanded("values are sealed with it")
                let console = input.console
                let isComplete = try await context.connected { reactor, client in
                    let resealing = Resealing(keyring, client, random: reactor.random)
                    var isComplete = true
                    for column in FeatureList.all.sealed {
                        var shown = 0
                        let report = try await resealing.run(column) { report in
                            guard report.values >= shown + 10_000 else { return }
                            shown = report.values
                            console.complain(
                                "sallyport: \(column.name): \(report.values) values, \(report.resealed) sealed anew"
                            )
                        }
                        console.print(line(column, report))
                        for (reason, count) in report.unopened.sorted(by: { $0.key < $1.key }) {
                            console.complain("sallyport: \(column.name): \(count) values cannot be opened: \(reason)")
                        }
                        if report.busy > 0 {
                            console.complain("sallyport: \(column.name): \(report.busy) rows were busy; run it again")
                        }
                        isComplete = isComplete && report.isComplete
                    }
                    return isComplete
                }
                let older = keyring.numbers.dropLast().map(String.init).joined(separator: ", ")
                if isComplete, !older.isEmpty {
                    console.complain(
                        "sallyport: everything is sealed under key \(keyring.newest); nothing is left under \(older)"
                    )
                }
                return isComplete ? 0 : 1
            }
        }
    )

    private static func line(_ column: SealedColumn, _ report: Resealing.Report) -> String {
        let line: JSONValue = [
            "column": .string(column.name), "values": JSONValue(report.values), "resealed": JSONValue(report.resealed),
            "left": JSONValue(report.busy + report.unopened.values.reduce(0, +)),
        ]
        return line.description
    }
}
