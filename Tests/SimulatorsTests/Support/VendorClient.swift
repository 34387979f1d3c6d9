import EventIO
import Foundation
import Primitives
import Simulators
import StrictJSON
import TestKit
import Testing

/// A client library of the vendor, which lies somewhere on this machine and is run as it is.
///
/// It is no part of this project: a test looks for it where the environment says.
struct VendorClient: Sendable, CustomTestStringConvertible {
    enum Language: String, Sendable {
        case node
        case php
    }

    let language: Language
    let algorithm: String
    let keyID: String
    /// What the environment names: the folder of the client for Node.js, the file that loads the one for PHP.
    let place: String

    var testDescription: String { "\(algorithm), \(keyID)" }

    /// The one for PHP knows no other port.
    var port: UInt16 { language == .php ? 443 : 0 }

    static let variable: [Language: String] = [.node: "SALLYPORT_VENDOR_NODE", .php: "SALLYPORT_VENDOR_PHP"]

    static func place(_ language: Language) -> String? {
        variable[language].flatMap { ProcessInfo.processInfo.environment[$0] }
    }

    /// Both algorithms with both kinds of key ids; none where there is no client.
    static func all(_ language: Language) -> [VendorClient] {
        guard let place = place(language) else { return [] }
        return ["AMZN-PAY-RSASSA-PSS", "AMZN-PAY-RSASSA-PSS-V2"].flatMap { algorithm in
            [Bench.keyID, "AFTESTKEY000000000000001"].map { keyID in
                VendorClient(language: language, algorithm: algorithm, keyID: keyID, place: place)
            }
        }
    }

    /// What a method of the client brings.
    struct Answer {
        let status: Int
        let body: JSONValue
    }

    /// Calls a method of the client, in a process of its own.
    func call(_ method: String, _ values: [JSONValue], in folder: String, _ bench: WireBench) async throws -> Answer {
        let place = folder + "/answer.json"
        try Files.write(folder + "/key.pem", Array(TestKeys.merchantPrivate.utf8))
        var environment = [
            "CLIENT": self.place, "KEY": folder + "/key.pem", "ANSWER": place,
            "SETTINGS": String(decoding: settings(port: bench.address.port).bytes, as: UTF8.self),
            "CALL": String(decoding: JSONValue.array([.string(method)] + values).bytes, as: UTF8.self),
        ]
        for name in ["PATH", "NODE_PATH", "HOME"] { environment[name] = ProcessInfo.processInfo.environment[name] }
        var plan = ChildPlan("/usr/bin/env", command(folder), environment: environment)
        plan.output = .appended(path: folder + "/output")
        plan.error = .appended(path: folder + "/output")
        let exit = try await plan.start().exit(on: bench.reactor)
        let output = String(decoding: (try? Files.read(folder + "/output")) ?? [], as: UTF8.self)
        guard exit.isSuccess, let answer = try? JSONParser.parse(try Files.read(place)) else {
            throw VendorFailure(description: "\(method): \(output)")
        }
        try Files.remove(place)
        return Answer(status: answer["status"]?.integer ?? 0, body: answer["body"] ?? .null)
    }

    private func settings(port: UInt16) -> JSONValue {
        // The older algorithm is the default of both.
        let algorithm: JSONValue = algorithm.hasSuffix("V2") ? .string(algorithm) : .null
        switch language {
        case .node:
            return [
                "publicKeyId": .string(keyID), "region": "jp", "sandbox": true, "algorithm": algorithm,
                "overrideServiceUrl": .string("localhost:\(port)"),
            ]
        case .php:
            return [
                "public_key_id": .string(keyID), "region": "jp", "sandbox": true, "algorithm": algorithm,
                "override_service_url": "https://localhost",
            ]
        }
    }

    private func command(_ folder: String) -> [String] {
        switch language {
        case .node: ["node", "-e", VendorClient.nodeDriver]
        case .php: ["php", "-d", "curl.cainfo=\(folder)/authority.pem", "-r", VendorClient.phpDriver]
        }
    }

    private static let nodeDriver = """
        const fs = require('fs');
        const { WebStoreClient } = require(process.env.CLIENT);
        const settings = JSON.parse(process.env.SETTINGS);
        settings.privateKey = fs.readFileSync(process.env.KEY);
        const [method, ...values] = JSON.parse(process.env.CALL);
        const tell = (status, body) => fs.writeFileSync(process.env.ANSWER, JSON.stringify({ status, body }));
        const result = new WebStoreClient(settings)[method](...values);
        if (typeof result === 'string') tell(200, result);
        else result.then(answer => tell(answer.status, answer.data), error => {
            if (!error.response) throw error;
            tell(error.response.status, error.response.data);
        });
        """

    private static let phpDriver = """
        require getenv('CLIENT');
        $settings = json_decode(getenv('SETTINGS'), true);
        $settings['private_key'] = getenv('KEY');
        $values = json_decode(getenv('CALL'), true);
        $method = array_shift($values);
        $result = (new Amazon\\Pay\\API\\Client($settings))->$method(...$values);
        $answer = is_string($result) ? ['status' => 200, 'body' => $result]
            : ['status' => $result['status'], 'body' => json_decode($result['response'])];
        file_put_contents(getenv('ANSWER'), json_encode($answer));
        """
}

struct VendorFailure: Error, CustomStringConvertible {
    let description: String
}
