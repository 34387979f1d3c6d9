import AppleSimulator
import Cryptography
import DeviceAttestation
import Foundation
import Primitives
import StrictJSON

/// The CPU time of judging an assertion of App Attest, beside that of one verification on its curve.
enum AssertionCost {
    /// Both take turns, so that a slow second is one of both.
    private static let rounds = 40
    private static let count = 250

    /// Microseconds of each by their medians, and their ratio, as JSON.
    ///
    /// - Throws: `failed` where OpenSSL refuses, and what is wrong with the assertion.
    static func measure() throws -> JSONValue {
        guard let app = AttestedApp(teamID: "A1B2C3D4E5", bundleID: "jp.example.shop") else { throw NoSample() }
        var device = try SimulatedAttestKey.make()
        let request = AssertedRequest(method: "POST", target: "/app/v1/devices/claim", body: [1, 2, 3], challenge: "c")
        let object = try device.assert(clientDataHash: request.clientDataHash, app: app.text)
        guard let key = AttestedKey(point: device.point) else { throw NoSample() }
        let (signer, message) = (try ES256PrivateKey(pem: device.pem), SHA256.digest(of: object).bytes)
        let (signature, known) = (try signer.sign(message), try ECDSAPublicKey(pem: signer.publicPEM()))

        var (assertions, verifications): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            verifications.append(
                try time { guard known.verify(signature, of: message) else { throw NoSample() } }
            )
            assertions.append(
                try time {
                    _ = try AppAssertion.verify(object, clientDataHash: request.clientDataHash, key: key, app: app)
                }
            )
        }
        let (assertion, verification) = (median(assertions), median(verifications))
        return [
            "assertion_us": .number(rounded(assertion)), "verification_us": .number(rounded(verification)),
            "ratio": .number(rounded(median(zip(assertions, verifications).map { $0 / $1 }))),
            "rounds": JSONValue(rounds), "each": JSONValue(count),
        ]
    }

    private static func time(_ body: () throws -> Void) throws -> Double {
        let start = now()
        for _ in 0..<count { try body() }
        return Double(now() - start) / 1_000 / Double(count)
    }

    /// Nanoseconds that the thread has worked.
    private static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func rounded(_ value: Double) -> String { String((value * 100).rounded() / 100) }

    private struct NoSample: Error {}
}
