import Cryptography
import Foundation
import Primitives
import StrictJSON
import WalletPass

/// Reads the files under `Vectors`: passes, their sources, and certificates whose keys are public test keys.
enum PassVectors {
    /// 2026-11-24T19:06:40Z, after all passes were signed.
    static let time = WallTime(seconds: 1_795_600_000)
    static let passType = "pass.com.example.sallyport.member"
    static let team = "SP4TEST9Z0"
    static let passphrase = Secret("sallyport-test")
    static let folder = Bundle.module.bundleURL.appendingPathComponent("Vectors")

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static func certificate(_ name: String) throws -> X509Certificate {
        try X509Certificate(bytes("pki/\(name).pem"))
    }

    static func key(_ name: String) throws -> RSAPrivateKey {
        try RSAPrivateKey(pem: Secret(bytes("pki/\(name).key.pem")))
    }

    static func signer(
        _ certificate: String = "pass-member",
        key: String? = nil,
        intermediates: [String] = ["wwdr-test"],
        passType: String = passType,
        at time: WallTime = time
    ) throws -> PassSigner {
        try PassSigner(
            certificate: self.certificate(certificate),
            key: self.key(key ?? certificate),
            intermediates: intermediates.map { try self.certificate($0) },
            passType: passType,
            team: team,
            at: time
        )
    }

    /// A judge that asks of a pass what ours have to be.
    static func judge(_ change: (inout PassJudge.Expectations) -> Void = { _ in }) throws -> PassJudge {
        var expectations = PassJudge.Expectations()
        expectations.isStrict = true
        change(&expectations)
        return PassJudge(
            trust: [try certificate("root")],
            intermediates: [try certificate("wwdr-test")],
            expecting: expectations
        )
    }

    /// The images of the member pass, by name; without its strip, which not every style shows.
    static func images(_ names: [String] = ["icon", "logo"]) throws -> [PassFile] {
        try names.flatMap { name in
            try ["", "@2x", "@3x"].map { scale in
                PassFile(name: "\(name)\(scale).png", bytes: try bytes("src/member/\(name)\(scale).png"))
            }
        }
    }
}

/// Templates for tests.
enum Templates {
    static let strings = [
        PassFile(name: "en.lproj/pass.strings", bytes: Array("\"POINTS\" = \"Points\";\n\"Gold\" = \"A key\";".utf8)),
        PassFile(name: "ja.lproj/pass.strings", bytes: Array("\"POINTS\" = \"ポイント\";\n\"Gold\" = \"鍵\";".utf8)),
    ]

    /// pass.json of a member card, with a line more at the top.
    static func json(style: String = "storeCard", extra: String = "") -> String {
        """
        {
          "formatVersion": 1, "passTypeIdentifier": "\(PassVectors.passType)", "teamIdentifier": "\(PassVectors.team)",
          "organizationName": "Shop", "description": "Card of {{name}}", \(extra)
          "backgroundColor": "rgb(24, 44, 82)",
          "barcodes": [{"format": "PKBarcodeFormatQR", "message": "{{number}}", "messageEncoding": "utf-8"}],
          "locations": [{"latitude": 35.5, "longitude": 139.5}],
          "semantics": {"balance": {"amount": "{{points}}", "currencyCode": "JPY"}},
          "\(style)": {
            \(style == "boardingPass" ? "\"transitType\": \"PKTransitTypeBus\"," : "")
            "primaryFields": [{"key": "points", "label": "POINTS", "value": "{{points}}",
              "numberStyle": "PKNumberStyleDecimal", "changeMessage": "Now %@"}],
            "secondaryFields": [{"key": "name", "label": "Name", "value": "{{name}}"}],
            "backFields": [{"key": "link", "value": "-", "attributedValue": "<a href='https://shop.example/{{number}}'>{{name}}</a>"}]
          }
        }
        """
    }

    static func files(_ json: String) throws -> [PassFile] {
        try [PassFile(name: "pass.json", bytes: Array(json.utf8))] + PassVectors.images() + strings
    }

    static func member(style: String = "storeCard", extra: String = "") throws -> PassTemplate {
        try PassTemplate(name: "member", files: files(json(style: style, extra: extra)))
    }

    static let token = "k3Jv0pZ8wQ2xT7bN5mYc1LrS"

    static func values(name: String = "山田 花子", points: Int64 = 1_200, token: String = token) -> PassValues {
        PassValues(
            serialNumber: "4F3C2E1A-9B7D-4C55-8E21-0A6F5D3B7C90",
            fields: ["name": .text(name), "points": .integer(points), "number": .text("m-000123")],
            webService: PassWebService(url: "https://wallet.example.com/wallet", authenticationToken: Secret(token))
        )
    }

    static func pass(_ content: PassContent) throws -> JSONValue { try JSONParser.parse(content.json) }
}
