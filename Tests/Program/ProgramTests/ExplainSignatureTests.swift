import Foundation
import TestKit
import Testing

@testable import Program

@Suite struct `The command explain-signature` {
    private static let vectors = URL(filePath: ProjectFolder.vectors("AmazonPayTests"))

    private static let key = vectors.appending(path: "merchant-public.pem").path

    /// One sample of a file of vectors, written to a file of its own.
    private func sample(_ name: String, _ file: String, _ list: String, in folder: String) throws -> String {
        let data = try Data(contentsOf: Self.vectors.appending(path: file))
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let samples = try #require(document[list] as? [[String: Any]])
        let sample = try #require(samples.first { $0["name"] as? String == name })
        let path = folder + "/\(name).json"
        try JSONSerialization.data(withJSONObject: sample).write(to: URL(filePath: path))
        return path
    }

    private func explain(_ words: String..., environment: [String: String] = [:]) async -> (Int32, String, String) {
        // Not in the folder of a demo, whose key it would take.
        let environment = environment.merging(["SALLYPORT_DATA_DIR": "/nowhere"]) { own, _ in own }
        let result = await run(["explain-signature"] + words, environment: environment)
        return (result.status, result.output, result.complaints)
    }

    @Test func `calls a recorded request good with status 0`() async throws {
        try await withTemporaryFolder { folder in
            let path = try sample("capture-charge", "request-signing.json", "signed", in: folder)
            let (status, output, complaints) = await explain("--request", path, "--public-key", Self.key)
            #expect(status == 0)
            #expect(complaints.isEmpty)
            #expect(output.contains("   1  POST\n   2  /v2/charges/S03-1234567-7654321-C012345/capture\n   3  \n"))
            #expect(output.contains("   1  AMZN-PAY-RSASSA-PSS-V2\n"))
            #expect(output.contains("verdict: the signature is good\n"))
        }
    }

    @Test func `names the mistake and the first difference with status 1`() async throws {
        try await withTemporaryFolder { folder in
            let path = try sample("body-slash-escaped", "request-signing.json", "negative", in: folder)
            let (status, output, _) = await explain("--request", path, "--public-key", Self.key)
            #expect(status == 1)
            #expect(output.contains("(unescaped_slashes)\n"))
            #expect(output.contains("first difference, line "))
            #expect(output.contains("hint unescaped_slashes: "))
        }
    }

    @Test func `prints one JSON object when asked`() async throws {
        try await withTemporaryFolder { folder in
            let path = try sample("salt-20-under-v2", "request-signing.json", "negative", in: folder)
            let (status, output, _) = await explain("--json", "--request=\(path)", "--public-key", Self.key)
            #expect(status == 1)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
            #expect(object["verdict"] as? String == "good_under")
            #expect(object["saltLength"] as? Int == 20)
            #expect((object["canonicalRequest"] as? String)?.contains("\n\naccept;") == true)
            #expect((object["hints"] as? [[String: String]])?.contains { $0["code"] == "salt_length" } == true)
        }
    }

    @Test func `explains a button payload, also inside the script's configuration`() async throws {
        try await withTemporaryFolder { folder in
            let good = try sample("express-full", "button-signing.json", "valid", in: folder)
            #expect(await explain("--button", "--request", good, "--public-key", Self.key).0 == 0)
            let inside = folder + "/inside.json"
            let text = "{\"createCheckoutSessionConfig\":" + (try String(contentsOfFile: good, encoding: .utf8)) + "}"
            try text.write(toFile: inside, atomically: true, encoding: .utf8)
            #expect(await explain("--button", "--request", inside, "--public-key", Self.key).0 == 0)
            let bad = try sample("payload-final-newline", "button-signing.json", "negative", in: folder)
            let (status, output, _) = await explain("--button", "--request", bad, "--public-key", Self.key)
            #expect(status == 1)
            #expect(output.contains("(final_blanks)"))
        }
    }

    @Test func `takes the key of the settings and says when the key id is another`() async throws {
        try await withTemporaryFolder { folder in
            let path = try sample("get-charge", "request-signing.json", "signed", in: folder)
            var environment = [
                "SALLYPORT_PROVIDER_PRIVATE_KEY": Self.vectors.appending(path: "merchant-private.pem").path,
                "SALLYPORT_PROVIDER_PUBLIC_KEY_ID": "SANDBOX-AFTESTKEY0000000000000001",
            ]
            #expect(await explain("--request", path, environment: environment).0 == 0)
            environment["SALLYPORT_PROVIDER_PUBLIC_KEY_ID"] = "LIVE-AFTESTKEY0000000000000001"
            let (status, output, _) = await explain("--request", path, environment: environment)
            #expect(status == 1)
            #expect(output.contains("403 InvalidAuthentication"))
            #expect(output.contains("hint key_id: "))
        }
    }

    @Test func `without a key shows the texts and does not call them good`() async throws {
        try await withTemporaryFolder { folder in
            let path = try sample("get-charge", "request-signing.json", "signed", in: folder)
            let (status, output, _) = await explain("--request", path)
            #expect(status == 1)
            #expect(output.contains("verdict: not checked"))
        }
    }

    @Test func `compares with the text of the signing program`() async throws {
        try await withTemporaryFolder { folder in
            let path = try sample("get-charge", "request-signing.json", "signed", in: folder)
            let own = folder + "/own.txt"
            let text = "GET\n/v2/charges/S03-1234567-7654321-C012345\n\naccept:text/html\n"
            try text.write(toFile: own, atomically: true, encoding: .utf8)
            let (_, output, _) = await explain("--request", path, "--public-key", Self.key, "--expect", own)
            #expect(output.contains("first difference, line 4, column 8: the header accept"))
            #expect(output.contains("hint expect_line_end: "))
        }
    }

    @Test func `prints nothing that a terminal would obey`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/raw.http"
            try "GET /v2/a HTTP/1.1\nAccept: \u{1B}[2J\n\n".write(toFile: path, atomically: true, encoding: .utf8)
            let (status, output, _) = await explain("--request", path)
            #expect(status == 1)
            #expect(!output.contains("\u{1B}"))
            #expect(output.contains("accept:\\x1b[2J"))
        }
    }

    @Test(arguments: ["", "{", "[]", "{\"url\":\"/\"}", "{\"url\":\"/\",\"headers\":{},\"body\":{}}", "nonsense"])
    func `answers status 2 to what is no request`(text: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/input"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let (status, output, complaints) = await explain("--request", path)
            #expect(status == 2)
            #expect(output.isEmpty)
            #expect(complaints.hasPrefix("sallyport: --request: "))
        }
    }

    @Test func `answers status 2 to files that are missing or no key`() async throws {
        try await withTemporaryFolder { folder in
            let path = try sample("get-charge", "request-signing.json", "signed", in: folder)
            #expect(await explain("--request", folder + "/missing").0 == 2)
            #expect(await explain("--request", path, "--expect", folder + "/missing").0 == 2)
            #expect(await explain("--request", path, "--public-key", path).0 == 2)
            #expect(await explain("--button", "--request", path).0 == 2)
        }
    }
}
