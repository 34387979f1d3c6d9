import AppleSimulator
import Cryptography
import DeviceAttestation
import Foundation
import Primitives
import StrictJSON
import Testing

/// A sample authority with a device, and what was published of Apple's.
struct AttestSamples {
    /// 2026-11-29T08:00:00Z.
    static let now = WallTime(seconds: 1_795_939_200)

    let authority: AppAttestAuthority
    let app: AttestedApp
    let key: SimulatedAttestKey
    let clientDataHash = SHA256.digest(of: Array("challenge".utf8)).bytes

    init() throws {
        authority = try AppAttestAuthority.make(now: AttestSamples.now)
        app = try #require(AttestedApp(teamID: "A1B2C3D4E5", bundleID: "jp.example.shop"))
        key = try SimulatedAttestKey.make()
    }

    func order(isDevelopment: Bool = false, extensions: AttestExtensions? = nil) -> AttestOrder {
        AttestOrder(
            key: key,
            app: app.text,
            isDevelopment: isDevelopment,
            clientDataHash: clientDataHash,
            extensions: extensions
        )
    }

    func attestation(_ flaw: AttestationFlaw? = nil) throws -> [UInt8] {
        try authority.attest(order(), now: AttestSamples.now, flaw: flaw)
    }

    func verifier(_ environment: AttestEnvironment = .production) throws -> AppAttestationVerifier {
        let root = try X509Certificate(authority.root.certificatePEM)
        return AppAttestationVerifier(apps: [app], environment: environment, roots: [root])
    }

    func verify(_ object: [UInt8], at time: WallTime = now) throws -> AppAttestation {
        try verifier().verify(object, keyID: key.id, clientDataHash: clientDataHash, at: time)
    }
}

/// One of `Vectors/app-attest-samples.json`.
struct PublicSample: Sendable, CustomTestStringConvertible {
    let json: JSONValue
    var testDescription: String { text("id") }

    /// None where the file cannot be read, which a test of their number finds.
    static func list(_ member: String) -> [PublicSample] {
        let file = Bundle.module.bundleURL.appendingPathComponent("Vectors/app-attest-samples.json")
        let json = (try? Data(contentsOf: file)).flatMap { try? JSONParser.parse(Array($0), depth: 8) }
        return json?[member]?.elements.map(PublicSample.init) ?? []
    }

    func text(_ name: String) -> String { json[name]?.text ?? "" }
    func bytes(_ name: String) throws -> [UInt8] { try #require(Base64.decode(text(name))) }
    func digest(_ name: String) throws -> Digest32 {
        let bytes = try bytes(name)
        let digest = Digest32(bytes.span)
        return try #require(digest)
    }

    func time(_ name: String = "time") throws -> WallTime { try #require(CalendarDate.time(of: text(name))) }

    func app() throws -> AttestedApp {
        let parts = text("app").split(separator: ".", maxSplits: 1).map { String($0) }
        return try #require(AttestedApp(teamID: parts[0], bundleID: parts[1]))
    }

    func environment() throws -> AttestEnvironment { try #require(AttestEnvironment(rawValue: text("environment"))) }
    func key() throws -> AttestedKey { try #require(AttestedKey(point: bytes("publicKey"))) }
}
