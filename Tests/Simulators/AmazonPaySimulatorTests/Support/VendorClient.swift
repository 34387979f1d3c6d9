import AmazonPaySimulator
import EventIO
import Foundation
import Primitives
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
        case java
    }

    let language: Language
    let algorithm: String
    let keyID: String
    /// What the environment names: the folder of the client for Node.js, the file that loads the one for PHP, the class path of
    /// the compiled one for Java.
    let place: String

    var testDescription: String { "\(algorithm), \(keyID)" }

    /// The one for PHP knows no other port.
    var port: UInt16 { language == .php ? 443 : 0 }

    static func place(_ language: Language) -> String? {
        ProcessInfo.processInfo.environment["SALLYPORT_VENDOR_" + language.rawValue.uppercased()]
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
            // Names and addresses are not ASCII.
            "LC_ALL": "C.UTF-8",
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
        case .java: return ["keyId": .string(keyID), "algorithm": algorithm, "place": .string("localhost:\(port)")]
        }
    }

    private func command(_ folder: String) -> [String] {
        switch language {
        case .node: ["node", "-e", VendorClient.nodeDriver]
        case .php: ["php", "-d", "curl.cainfo=\(folder)/authority.pem", "-r", VendorClient.phpDriver]
        case .java: ["sh", "-c", VendorClient.javaCommand, "sh", folder, VendorClient.javaDriver]
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

    /// The driver is compiled once, and the authority put where this language looks for authorities.
    private static let javaCommand = """
        set -eu; cd "$1"
        [ -f Driver.class ] || { printf '%s' "$2" > Driver.java; javac -nowarn -cp "$CLIENT" Driver.java; }
        [ -f trust ] || keytool -importcert -noprompt -alias a -file authority.pem -keystore trust -storepass changeit
        exec java -Djavax.net.ssl.trustStore=trust -Djavax.net.ssl.trustStorePassword=changeit -cp "$CLIENT:." Driver
        """

    private static let javaDriver = """
        /* What it takes: */ import com.amazon.pay.api.*; import com.amazon.pay.api.types.*; import java.nio.file.*;
        /* and: */ import java.util.*; import org.json.*;

        public class Driver {
            static class Settings extends PayConfiguration {
                Settings(String place) { overrideServiceURL = place; }
            }

            public static void main(String[] none) throws Exception {
                JSONObject given = new JSONObject(System.getenv("SETTINGS"));
                PayConfiguration settings = new Settings(given.getString("place"))
                    .setPublicKeyId(given.getString("keyId")).setRegion(Region.JP).setEnvironment(Environment.SANDBOX)
                    .setPrivateKey(Files.readString(Path.of(System.getenv("KEY"))).toCharArray());
                if (!given.isNull("algorithm")) settings.setAlgorithm(given.getString("algorithm"));
                JSONArray call = new JSONArray(System.getenv("CALL"));
                List<Class<?>> types = new ArrayList<>();
                List<Object> values = new ArrayList<>();
                for (int index = 1; index < call.length(); index++) {
                    Object value = call.get(index);
                    String name = "x-amz-pay-idempotency-key";
                    boolean isKey = value instanceof JSONObject && ((JSONObject) value).has(name);
                    if (isKey) value = new HashMap<>(Map.of(name, ((JSONObject) value).getString(name)));
                    types.add(isKey ? Map.class : value.getClass());
                    values.add(value);
                }
                WebstoreClient client = new WebstoreClient(settings);
                Object result = client.getClass().getMethod(call.getString(0), types.toArray(new Class<?>[0]))
                    .invoke(client, values.toArray());
                JSONObject answer = new JSONObject().put("status", 200).put("body", result);
                if (result instanceof AmazonPayResponse) {
                    AmazonPayResponse response = (AmazonPayResponse) result;
                    answer.put("status", response.getStatus()).put("body", response.getResponse());
                }
                Files.writeString(Path.of(System.getenv("ANSWER")), answer.toString());
            }
        }
        """
}

struct VendorFailure: Error, CustomStringConvertible {
    let description: String
}
