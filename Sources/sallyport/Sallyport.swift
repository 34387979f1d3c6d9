import Foundation
import SallyportApp

/// The program's entry: arguments in, exit status out.
@main
enum Sallyport {
    static func main() async {
        guard Program.prepareProcess() else { exit(1) }
        let status = await Program.run(
            Array(CommandLine.arguments.dropFirst()),
            environment: ProcessInfo.processInfo.environment
        )
        exit(status)
    }
}
