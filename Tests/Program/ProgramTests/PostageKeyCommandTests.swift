import EventIO
import TestKit
import Testing

@Suite struct `The postage-key command` {
    private static let secret = Array("a secret of the tests, long enough for what it is for".utf8)

    private static func environment(_ folder: String) throws -> [String: String] {
        try Files.write(folder + "/secret", secret, mode: 0o600)
        return [
            "SALLYPORT_DATA_DIR": folder, "SALLYPORT_MERCHANT_SECRET_FILE": folder + "/secret",
            "SALLYPORT_MERCHANT_POSTAGE_KEYS": "7, 1",
        ]
    }

    @Test(arguments: [("https://shop.example", "https://shop.example"), ("http://localhost:80", "http://localhost")])
    func `prints the key that signs first`(word: String, origin: String) async throws {
        try await withTemporaryFolder { folder in
            let result = await run(["postage-key", word], environment: try Self.environment(folder))
            #expect(result.status == 0, "\(result.complaints)")
            #expect(result.output.hasPrefix(#"{"origin":"\#(origin)","number":7,"keyId":"whk_"#), "\(result.output)")
        }
    }

    @Test func `prints the key of a number, the same in every process`() async throws {
        try await withTemporaryFolder { folder in
            let words = ["postage-key", "https://shop.example:443", "--number", "1"]
            let result = await run(words, environment: try Self.environment(folder))
            #expect(result.status == 0, "\(result.complaints)")
            #expect(
                result.output == """
                    {"origin":"https://shop.example","number":1,"keyId":"whk_kJl9IYJk5urqUMZa",\
                    "secret":"whsec_DDTro5UseqWwAS+8dXqcI3esGyp+jMJBkfPLNafzhmw="}

                    """
            )
        }
    }

    @Test(
        arguments: [
            [], ["shop.example"], ["https://shop.example/"], ["http://shop.example"],
            ["https://shop.example", "https://shop.example"], ["https://shop.example", "--number", "0"],
            ["https://shop.example", "--number", "x"],
        ]
    )
    func `prints none for other words`(words: [String]) async throws {
        try await withTemporaryFolder { folder in
            let result = await run(["postage-key"] + words, environment: try Self.environment(folder))
            #expect(result.status == 2 && result.output.isEmpty)
            #expect(result.complaints.hasPrefix("sallyport: postage-key: "), "\(result.complaints)")
        }
    }

    @Test func `has none to print without a secret`() async throws {
        try await withTemporaryFolder { folder in
            let words = ["postage-key", "https://shop.example"]
            let result = await run(words, environment: ["SALLYPORT_DATA_DIR": folder])
            #expect(result.status == 2 && result.output.isEmpty)
            #expect(result.complaints.contains("merchant.secret_file: not set"), "\(result.complaints)")
        }
    }
}
