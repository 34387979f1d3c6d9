import Cryptography
import Primitives
import TestKit
import Testing

@Suite("A file with a private key")
struct KeyFileTests {
    private func key(_ name: String, _ passphrase: Secret<String>?) throws -> KeyFile {
        try KeyFile(Secret(PassKeyFiles.bytes(name)), passphrase: passphrase)
    }

    @Test(arguments: [
        ("pass-member.key.pem", false), ("pass-member.pkcs1.key.pem", false), ("pass-member.enc.key.pem", true),
        ("pass-member.p12", true), ("pass-member.legacy.p12", true),
    ])
    func `is read in every form`(name: String, isEncrypted: Bool) throws {
        let file = try key(name, isEncrypted ? PassKeyFiles.passphrase : nil)
        let certificate = try PassKeyFiles.certificate("pass-member.pem")
        #expect(file.key.belongs(to: certificate))
        #expect(!file.key.belongs(to: try PassKeyFiles.certificate("pass-event.pem")))
        let message = Array("message".utf8)
        let signature = try file.key.signPKCS1(message, digest: .sha256)
        let publicKey = try RSAPublicKey(certificatePEM: PassKeyFiles.bytes("pass-member.pem"))
        #expect(publicKey.verifyPKCS1(signature, of: message, digest: .sha256))
        #expect(try RSAPrivateKey(pem: file.key.pem()).belongs(to: certificate))
    }

    @Test(arguments: ["pass-member.p12", "pass-member.legacy.p12"])
    func `brings its certificates along in PKCS#12`(name: String) throws {
        let file = try key(name, PassKeyFiles.passphrase)
        #expect(file.certificate == (try PassKeyFiles.certificate("pass-member.pem")))
        #expect(file.others.allSatisfy { file.certificate?.isSigned(by: $0) == true })
    }

    @Test(arguments: ["pass-member.enc.key.pem", "pass-member.p12", "pass-member.legacy.p12"])
    func `is refused with a wrong passphrase and without one, and tells neither`(name: String) {
        for passphrase in [Secret("sallyport-tesT"), Secret(""), nil] {
            do throws(CryptographyError) {
                let bytes = try? PassKeyFiles.bytes(name)
                _ = try KeyFile(Secret(bytes ?? []), passphrase: passphrase)
                Issue.record("\(name) was read")
            } catch {
                #expect(error.code == .invalidKey)
                #expect(!error.debugDescription.contains("tesT"))
            }
        }
    }

    @Test func `that is anything else is refused`() throws {
        let p12 = try PassKeyFiles.bytes("pass-member.p12")
        let p256 = try DevelopmentAuthority.make(
            name: "A",
            permitting: [.host("a.test")],
            now: PassKeyFiles.time,
            random: SeededRandom(seed: 1)
        )
        let others = [
            [], [0x30], Array(p12.prefix(900)), try PassKeyFiles.bytes("pass-member.pem"), p256.keyPEM.reveal(),
        ]
        for bytes in others {
            #expect(throws: CryptographyError.self) {
                try KeyFile(Secret(bytes), passphrase: PassKeyFiles.passphrase)
            }
        }
    }
}
