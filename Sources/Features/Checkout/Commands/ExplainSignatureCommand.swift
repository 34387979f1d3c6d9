import Cryptography
import EventIO
import Operations
import Primitives
import ServerCore
import Settings
import SignatureTool

/// `sallyport explain-signature`: what the signature of a request or a button stands for, and where the signer went wrong.
enum ExplainSignatureCommand {
    static let command = FeatureCommand(
        of: CheckoutFeature.self,
        "explain-signature",
        "check a signature for Amazon Pay, and print the first difference",
        details: """
            Reads a signed Amazon Pay request: the octets of HTTP/1.1, or a JSON object with method, url, headers and body. With
            --button: a JSON object with payloadJSON, signature and algorithm, the page's argument for the checkout script.
            The key is the one of --public-key, else the public key of provider.private_key.
            Exit status: 0 the signature is good, 1 it is not or could not be checked, 2 the input could not be read.
            """,
        options: [
            CommandOption("request", "FILE", "the input; - or no option: standard input"),
            CommandOption("expect", "FILE", "canonical request or string to sign of your program, for a comparison"),
            CommandOption("public-key", "FILE", "the merchant's public key in PEM"),
            CommandOption("button", nil, "the input is a button payload"),
            CommandOption("json", nil, "print one JSON object instead of lines"),
        ],
        scope: { _ in .signature },
        run: { feature, input, _ in
            let report = try report(feature.settings.provider, input)
            if input.arguments.flags.contains("json") {
                input.console.print(report.json)
            } else {
                for line in report.lines { input.console.print(line) }
            }
            return report.verdict == .good ? 0 : 1
        }
    ).with(
        examples: [
            "sallyport explain-signature --request request.txt --public-key merchant.pem"
        ]
    )

    private static func report(
        _ settings: ProviderSettings,
        _ input: CommandInput
    ) throws(ConfigurationError) -> SignatureReport {
        let values = input.arguments.values
        let octets = try read(values["request"] ?? "-", "--request")
        let signer = try signer(settings, input)
        let (expected, notes) = try expectation(values["expect"])
        if input.arguments.flags.contains("button") {
            let payload = try parsed { () throws(RecordedRequest.Problem) in try SignatureInput.button(octets) }
            return SignatureReport(ButtonExplanation(payload, key: signer.key, expected: expected), notes)
        }
        let recorded = try parsed { () throws(RecordedRequest.Problem) in try SignatureInput.request(octets) }
        let explanation = SignatureExplanation(
            request: recorded.request,
            signer: signer,
            now: SystemClock().now(),
            expected: expected
        )
        return SignatureReport(explanation, recorded.notes + notes)
    }

    private static func parsed<Value>(
        _ parse: () throws(RecordedRequest.Problem) -> Value
    ) throws(ConfigurationError) -> Value {
        do throws(RecordedRequest.Problem) {
            return try parse()
        } catch {
            throw ConfigurationError(problems: ["--request: \(error.text)"])
        }
    }

    /// The text of the signing program, without the line end that an editor put behind it.
    private static func expectation(
        _ path: String?
    ) throws(ConfigurationError) -> (text: [UInt8]?, notes: [SignatureHint]) {
        guard let path else { return (nil, []) }
        var text = try read(path, "--expect")
        guard text.last == UInt8(ascii: "\n") else { return (text, []) }
        text.removeLast()
        return (text, [SignatureHint("expect_line_end", "the line end behind the text of --expect was left out")])
    }

    /// The key of the command line, else the one of the settings with its name.
    private static func signer(
        _ settings: ProviderSettings,
        _ input: CommandInput
    ) throws(ConfigurationError) -> SignatureExplanation.Signer {
        if let path = input.arguments.values["public-key"] {
            let pem = try read(path, "--public-key")
            return .init(key: try key("--public-key") { () throws(CryptographyError) in try RSAPublicKey(pem: pem) })
        }
        guard !settings.privateKeyPath.isEmpty else { return .init(key: nil) }
        let pem = Secret(try read(settings.privateKeyPath, "provider.private_key"))
        let key = try key("provider.private_key") { () throws(CryptographyError) in
            try RSAPrivateKey(pem: pem).publicKey()
        }
        return .init(key: key, keyID: settings.publicKeyID.isEmpty ? nil : settings.publicKeyID)
    }

    private static func key(
        _ name: String,
        _ make: () throws(CryptographyError) -> RSAPublicKey
    ) throws(ConfigurationError) -> RSAPublicKey {
        do throws(CryptographyError) {
            return try make()
        } catch {
            throw ConfigurationError(problems: ["\(name): \(error.debugDescription)"])
        }
    }

    private static func read(_ path: String, _ option: String) throws(ConfigurationError) -> [UInt8] {
        do throws(IOError) {
            return try Files.read(path == "-" ? "/dev/stdin" : path, limit: 1 << 20)
        } catch {
            throw ConfigurationError(problems: ["\(option): \(path) cannot be read: \(error.sentence)"])
        }
    }
}
