import Foundation
import Program

/// The program's entry: arguments in, exit status out.
@main
enum Sallyport {
    static func main() {
        exit(
            Program.main(Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
        )
    }
}
