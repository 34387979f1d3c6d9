import CFuzzer
import Glibc

/// One group of readers, under the name that the command line and the folders of the corpus have.
struct FuzzTarget: Sendable {
    let name: String
    /// Reads a unit and holds the result to what must be true of it.
    let examine: @Sendable ([UInt8]) -> Void
    /// Reads a unit and nothing else, so that its cost is the readers' own.
    let read: @Sendable ([UInt8]) -> Void
}

/// Runs libFuzzer over a group of readers: `Fuzzer TARGET [libFuzzer's arguments]`.
///
/// Units worth keeping lie in Tests/Fuzz/Corpus under the target's name.
@main
enum Fuzzer {
    static let targets: [FuzzTarget] = [
        requestTarget, http2Target, formTarget, fieldTarget, jsonTarget, notificationTarget, addressTarget,
        answerTarget, orderTarget, certificateTarget, archiveTarget, passTarget, phoneTarget,
        pushTarget, purchaseTarget, signedTarget, cborTarget, attestTarget, deviceTarget, loginTarget,
    ]

    /// The one that runs; the fuzzer's callback cannot carry it.
    nonisolated(unsafe) static var target: FuzzTarget?

    static func main() {
        let names = targets.map(\.name)
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--list" {
            print(names.joined(separator: "\n"))
            return
        }
        guard let found = targets.first(where: { $0.name == arguments.first }) else {
            print("usage: Fuzzer \(names.joined(separator: "|")) [libFuzzer's arguments]\n       Fuzzer --list")
            exit(64)
        }
        unsafe target = found
        var count = CommandLine.argc - 1
        var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv.advanced(by: 1)
        exit(
            unsafe LLVMFuzzerRunDriver(&count, &rest) { start, count in
                Fuzzer.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
                return 0
            }
        )
    }

    private static func run(_ unit: [UInt8]) {
        guard let target = unsafe target else { return }
        target.examine(unit)
        Cost.examine(unit, target.read)
    }
}

/// Stops the run where a rule does not hold: the fuzzer writes the unit down.
///
/// - Parameters:
///   - holds: Whether the rule holds.
///   - rule: What must be true, as a sentence; printed after `broken rule: `.
func check(_ holds: Bool, _ rule: @autoclosure () -> String) {
    guard !holds else { return }
    // A precondition prints nothing in a release build.
    print("broken rule: \(rule())")
    fflush(nil)
    abort()
}

/// Text for reports: printable ASCII as it is, everything else escaped.
func shown(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { $0 >= 0x20 && $0 < 0x7F ? String(UnicodeScalar($0)) : "\\x\(String($0, radix: 16))" }.joined()
}

/// The text of bytes, where they are UTF-8.
func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
}

/// A unit whose first byte selects one of several readers.
struct Selection {
    let number: Int
    let rest: [UInt8]

    init?(_ unit: [UInt8], of count: Int) {
        guard let first = unit.first else { return nil }
        number = Int(first) % count
        rest = Array(unit.dropFirst())
    }
}
