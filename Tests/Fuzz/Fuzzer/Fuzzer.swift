import CFuzzer
import Glibc

/// Runs libFuzzer over one of the parsers: `Fuzzer request|form|cookie [libFuzzer's arguments]`.
///
/// Inputs worth keeping lie in Tests/Fuzz/Corpus under the same name.
@main
enum Fuzzer {
    static func main() {
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv.advanced(
            by: 1
        )
        switch CommandLine.arguments.dropFirst().first {
        case "request": exit(unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe fuzzRequests($0, $1) })
        case "form": exit(unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe fuzzForm($0, $1) })
        case "cookie": exit(unsafe LLVMFuzzerRunDriver(&count, &arguments) { unsafe fuzzCookies($0, $1) })
        default:
            print("usage: Fuzzer request|form|cookie [libFuzzer's arguments]")
            exit(64)
        }
    }
}
