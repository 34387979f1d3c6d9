import EventIO
import Foundation
import StrictJSON

/// Judges a folder of test vectors with the program's own code.
@main
enum SallyportVectors {
    private static let usage = """
        usage: sallyport-vectors FOLDER
          judges every file of the folder whose name is known, and prints one line for each case: its id, the verdict,
          what was found. Exits with 1 where a case differs from what its file says. Cases of requests are put to a
          program that it starts, with the certificates in FOLDER/pki and a private PostgreSQL.

        """

    /// The kinds of files that are known; a new kind is a type more in this list.
    static let kinds: [any VectorKind.Type] = [
        ArchiveVectors.self, HTTPDateVectors.self, PathVectors.self, TagVectors.self, RegistrationVectors.self,
        PhoneLogVectors.self, PushAnswerVectors.self, SignedTextVectors.self, DeviceVerificationVectors.self,
        OfferVectors.self, ReceiptVectors.self, BearerTokenVectors.self, RevocationVectors.self,
        LedgerScenarioVectors.self, DeviceCheckVectors.self, IDTokenVectors.self, HybridPairVectors.self,
        AuthorizationAnswerVectors.self, TokenAnswerVectors.self, UserInfoVectors.self, DiscoveryVectors.self,
        KeySetVectors.self, KeyMapVectors.self, ProofKeyVectors.self, TokenHashVectors.self,
    ]

    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        guard let path = words.first, words.count == 1 else {
            StandardStream.error.write(usage)
            exit(2)
        }
        do {
            exit(try await run(URL(fileURLWithPath: path, isDirectory: true)) ? 0 : 1)
        } catch {
            StandardStream.error.write("sallyport-vectors: \(error)\n")
            exit(2)
        }
    }

    /// Whether all cases of a folder are as their files say.
    private static func run(_ folder: URL) async throws -> Bool {
        var isGood = true
        var isEmpty = true
        for kind in kinds {
            let file = folder.appendingPathComponent(kind.fileName)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            isEmpty = false
            let document = try JSONParser.parse(Array(Data(contentsOf: file)), depth: 64)
            let outcomes = try await kind.judge(document, in: folder)
            for outcome in outcomes { print("\(outcome.isAsExpected ? "ok  " : "DIFF") \(kind.fileName) \(outcome)") }
            let different = outcomes.count { !$0.isAsExpected }
            print("\(kind.fileName): \(outcomes.count) cases, \(different) differ")
            isGood = isGood && different == 0 && !outcomes.isEmpty
        }
        guard !isEmpty else { throw VectorError(description: "no file of a known name in \(folder.path)") }
        return isGood
    }
}
