import Cryptography
import JOSE
import Primitives
import TestKit
import Testing

@Suite("The certificates of a signed text")
struct CertificatePathTests {
    private static func fault(
        _ names: [String],
        roots: [String] = ["store-root"],
        at time: WallTime = JOSEVectors.signed
    ) throws -> CertificatePathError? {
        let roots = try roots.map { try JOSEVectors.certificate($0) }
        let x5c = try names.map { Base64.encode(try JOSEVectors.bytes($0 + ".der")) }
        do throws(CertificatePathError) {
            _ = try CertificatePathVerifier(roots: roots, purpose: .appStore).verify(x5c, at: time)
            return nil
        } catch {
            return error
        }
    }

    private static let good = ["store-leaf", "store-intermediate", "store-root"]

    @Test func `lead to the key of the leaf`() throws {
        let root = try JOSEVectors.certificate("store-root")
        let x5c = try JOSEVectors.x5c("store-leaf", "store-intermediate", "store-root")
        let verifier = CertificatePathVerifier(roots: [root], purpose: .appStore)
        let path = try verifier.verify(x5c, at: JOSEVectors.signed)
        #expect(try path.leaf == JOSEVectors.certificate("store-leaf"))
        #expect(try path.intermediate == JOSEVectors.certificate("store-intermediate"))
        #expect(path.root == root)
        let jws = try CompactJWS(try JOSEVectors.bytes("store-transaction.jws"))
        #expect(jws.header.certificates == x5c)
        try jws.verify(with: path.key, allowing: [.es256])
    }

    @Test func `are three`() throws {
        for names in [
            [], ["store-leaf"], ["store-leaf", "store-intermediate"], CertificatePathTests.good + ["store-root"],
        ] {
            #expect(try CertificatePathTests.fault(names) == .count)
        }
    }

    @Test func `have to stand in order, the leaf first`() throws {
        #expect(try CertificatePathTests.fault(CertificatePathTests.good.reversed()) == .name)
    }

    @Test func `bring no root with them`() throws {
        let good = CertificatePathTests.good
        #expect(try CertificatePathTests.fault(good, roots: []) == .noRoot)
        #expect(try CertificatePathTests.fault(good, roots: ["weak-root"]) == .noRoot)
        // The name of the root, and another key.
        #expect(try CertificatePathTests.fault(good, roots: ["store-other-root"]) == .signature(1))
        #expect(try CertificatePathTests.fault(good, roots: ["store-other-root", "store-root"]) == nil)
    }

    @Test func `end in a root of the verifier, whatever the third one is`() throws {
        let x5c = try JOSEVectors.x5c("store-leaf", "store-intermediate") + ["no certificate"]
        let root = try JOSEVectors.certificate("store-root")
        let verifier = CertificatePathVerifier(roots: [root], purpose: .appStore)
        #expect(try verifier.verify(x5c, at: JOSEVectors.signed).root == root)
    }

    @Test func `take the root that is valid, of two with one key`() throws {
        // 2035-01-01T00:00:00Z: the short one has ended.
        let late = WallTime(seconds: 2_051_222_400)
        let good = CertificatePathTests.good
        #expect(try CertificatePathTests.fault(good, roots: ["store-short-root"]) == nil)
        #expect(try CertificatePathTests.fault(good, roots: ["store-short-root"], at: late) == .expired(2))
        #expect(try CertificatePathTests.fault(good, roots: ["store-short-root", "store-root"], at: late) == nil)
    }

    @Test(arguments: ["weak-sha1", "weak-rsa"])
    func `are not signed with what is too weak`(kind: String) throws {
        let names = ["\(kind)-leaf", "\(kind)-intermediate", "weak-root"]
        // 2027-01-01T00:00:00Z.
        let time = WallTime(seconds: 1_798_761_600)
        let index = kind == "weak-sha1" ? 1 : 0
        #expect(try CertificatePathTests.fault(names, roots: ["weak-root"], at: time) == .signature(index))
    }

    @Test func `stand in standard Base64 with nothing behind the certificate`() throws {
        var path = try TestPath()
        // The keys are new ones. Now and then the certificate has one text in both alphabets, and that is no case.
        while Base64URL.encode(path.leaf.der) == path.x5c[0] { path = try TestPath() }
        let der = path.leaf.der
        let spellings = [
            Base64URL.encode(der), Base64.encode(der) + "\n", " " + Base64.encode(der), Base64.encode(der + [0]),
            Base64.encode(Array(der.dropLast())), Base64.encode(try path.leaf.pem()), "", "AAAA",
        ]
        for spelling in spellings {
            #expect(throws: CertificatePathError.form(0)) {
                try path.verifier().verify([spelling, path.x5c[1], path.x5c[2]], at: TestPath.now)
            }
            #expect(throws: CertificatePathError.form(1)) {
                try path.verifier().verify([path.x5c[0], spelling, path.x5c[2]], at: TestPath.now)
            }
        }
    }

    @Test func `are not the root's own leaf`() throws {
        let path = try TestPath()
        let root = try TestPath.root.issued(by: nil)
        let leaf = try TestPath.leaf.issued(by: root)
        let verifier = CertificatePathVerifier(roots: [try X509Certificate(root.certificatePEM)], purpose: .appStore)
        let text = Base64.encode(try X509Certificate(leaf.certificatePEM).der)
        let trusted = Base64.encode(try X509Certificate(root.certificatePEM).der)
        #expect(throws: CertificatePathError.name) {
            try verifier.verify([text, path.x5c[1], trusted], at: TestPath.now)
        }
        // The root in the place of the intermediate lacks the marker.
        #expect(throws: CertificatePathError.marker(1)) {
            try verifier.verify([text, trusted, trusted], at: TestPath.now)
        }
    }

    @Test func `are signed by each other`() throws {
        let (one, other) = (try TestPath(), try TestPath())
        let x5c = [other.x5c[0], one.x5c[1], one.x5c[2]]
        #expect(throws: CertificatePathError.signature(0)) { try one.verifier().verify(x5c, at: TestPath.now) }
    }
}

@Suite("A path of certificates")
struct CertificatePathRuleTests {
    private static let year = Duration.seconds(366 * 86_400)

    @Test func `is good as it is made here`() throws {
        #expect(try TestPath().fault() == nil)
    }

    @Test func `has both markers, each in its place`() throws {
        let (middle, last) = ("1.2.840.113635.100.6.2.1", "1.2.840.113635.100.6.11.1")
        #expect(try TestPath(intermediate: TestPath.intermediate.with(middle, "")).fault() == .marker(1))
        #expect(try TestPath(leaf: TestPath.leaf.with(last, "")).fault() == .marker(0))
        let swapped = try TestPath(
            intermediate: TestPath.intermediate.with(middle, "").with(last, "DER:05:00"),
            leaf: TestPath.leaf.with(last, "").with(middle, "DER:05:00")
        )
        #expect(swapped.fault() == .marker(1))
        // A marker that has to be understood is.
        #expect(try TestPath(leaf: TestPath.leaf.with(last, "critical,DER:05:00")).fault() == nil)
    }

    @Test func `is judged for its own purpose`() throws {
        let path = try TestPath()
        let purpose = CertificatePurpose(intermediateMarker: "1.2.840.113635.100.6.2.1", leafMarker: "1.2.3")
        #expect(throws: CertificatePathError.marker(0)) {
            try path.verifier(purpose).verify(path.x5c, at: TestPath.now)
        }
    }

    @Test(arguments: [
        ("basicConstraints", "critical,CA:FALSE"), ("basicConstraints", ""), ("keyUsage", "critical,digitalSignature"),
        ("keyUsage", ""),
    ])
    func `has an authority in the middle`(name: String, value: String) throws {
        #expect(try TestPath(intermediate: TestPath.intermediate.with(name, value)).fault() == .notAuthority)
    }

    @Test(arguments: [
        ("critical,CA:TRUE,pathlen:0", false), ("critical,CA:TRUE,pathlen:1", true), ("critical,CA:FALSE", false),
    ])
    func `is no longer than the root allows`(constraints: String, isGood: Bool) throws {
        let path = try TestPath(root: TestPath.root.with("basicConstraints", constraints))
        #expect(path.fault() == (isGood ? nil : .notAuthority))
    }

    @Test func `has no extension that has to be understood and is not`() throws {
        let unknown = ("1.2.3.4", "critical,DER:05:00")
        #expect(try TestPath(leaf: TestPath.leaf.with(unknown.0, unknown.1)).fault() == .critical(0))
        #expect(try TestPath(intermediate: TestPath.intermediate.with(unknown.0, unknown.1)).fault() == .critical(1))
        #expect(try TestPath(root: TestPath.root.with(unknown.0, unknown.1)).fault() == .critical(2))
        #expect(try TestPath(leaf: TestPath.leaf.with("1.2.3.4", "DER:05:00")).fault() == nil)
        let names = TestPath.intermediate.with("nameConstraints", "critical,permitted;DNS:localhost")
        #expect(try TestPath(intermediate: names).fault() == .critical(1))
    }

    @Test func `says nothing twice`() throws {
        var leaf = TestPath.leaf
        leaf.extensions.append(.init("1.2.840.113635.100.6.11.1", "DER:05:00"))
        #expect(try TestPath(leaf: leaf).fault() == .form(0))
    }

    @Test func `ends in a key that signs texts`() throws {
        var leaf = TestPath.leaf
        for (kind, algorithm) in [(KeyKind.p256, JWSAlgorithm.es256), (.p384, .es384), (.rsa2048, .rs256)] {
            leaf.key = kind
            let path = try TestPath(leaf: leaf)
            #expect(try path.verifier().verify(path.x5c, at: TestPath.now).key.algorithm == algorithm)
        }
    }

    @Test func `is valid as a whole, both ends of each certificate included`() throws {
        let path = try TestPath()
        #expect(path.fault(at: path.leaf.notBefore) == nil)
        #expect(path.fault(at: path.leaf.notAfter) == nil)
        #expect(path.fault(at: path.leaf.notAfter + .milliseconds(999)) == nil)
        for index in 0..<3 {
            var levels = [TestPath.leaf, TestPath.intermediate, TestPath.root]
            for other in 0..<3 where other != index {
                levels[other].now = TestPath.now + .seconds(-100 * 86_400)
                levels[other].lifetime = CertificatePathRuleTests.year
            }
            let path = try TestPath(root: levels[2], intermediate: levels[1], leaf: levels[0])
            let certificate = [path.leaf, path.intermediate, path.root][index]
            #expect(path.fault(at: certificate.notBefore + .milliseconds(-1)) == .notYetValid(index))
            #expect(path.fault(at: certificate.notAfter + .seconds(1)) == .expired(index))
        }
    }

    @Test func `that is remembered is judged by the time of each use`() throws {
        let path = try TestPath()
        let verifier = path.verifier()
        for _ in 0..<2 {
            _ = try verifier.verify(path.x5c, at: TestPath.now)
            #expect(throws: CertificatePathError.expired(0)) {
                try verifier.verify(path.x5c, at: path.leaf.notAfter + .seconds(1))
            }
        }
    }

    @Test func `that is remembered vouches for no other certificate`() throws {
        let (path, other) = (try TestPath(), try TestPath())
        let verifier = path.verifier()
        for _ in 0..<2 {
            _ = try verifier.verify(path.x5c, at: TestPath.now)
            #expect(throws: CertificatePathError.signature(1)) { try verifier.verify(other.x5c, at: TestPath.now) }
            #expect(throws: CertificatePathError.signature(0)) {
                try verifier.verify([other.x5c[0], path.x5c[1], path.x5c[2]], at: TestPath.now)
            }
        }
    }

    @Test func `is remembered among few, and not for long`() throws {
        let clock = ManualClock()
        let root = try TestPath.root.issued(by: nil)
        let intermediate = try TestPath.intermediate.issued(by: root)
        let verifier = CertificatePathVerifier(
            roots: [try X509Certificate(root.certificatePEM)],
            purpose: .appStore,
            clock: clock
        )
        let middle = Base64.encode(try X509Certificate(intermediate.certificatePEM).der)
        let verify = {
            let leaf = try X509Certificate(TestPath.leaf.issued(by: intermediate).certificatePEM)
            _ = try verifier.verify([Base64.encode(leaf.der), middle, "counted only"], at: TestPath.now)
        }
        #expect(verifier.rememberedCount == 0)
        for _ in 0..<40 {
            try verify()
            #expect((1...CertificatePathVerifier.capacity).contains(verifier.rememberedCount))
        }
        #expect(verifier.rememberedCount > 8)
        clock.advance(by: CertificatePathVerifier.life)
        try verify()
        #expect(verifier.rememberedCount == 1)
    }

    @Test func `that is bad is not remembered, and the third certificate is no part of it`() throws {
        let path = try TestPath(leaf: TestPath.leaf.with("1.2.840.113635.100.6.11.1", ""))
        let bad = path.verifier()
        #expect(throws: CertificatePathError.marker(0)) { try bad.verify(path.x5c, at: TestPath.now) }
        #expect(bad.rememberedCount == 0)
        let good = try TestPath()
        let verifier = good.verifier()
        for third in ["", "a", "b"] {
            _ = try verifier.verify([good.x5c[0], good.x5c[1], third], at: TestPath.now)
        }
        #expect(verifier.rememberedCount == 1)
    }
}
