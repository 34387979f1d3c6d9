import Cryptography
import EventIO
import Primitives
import TestKit
import Testing

@Suite("The OpenSSL command line, asked about chains")
struct ChainSecondOpinionTests {
    /// Judges by a program that this project's code has no part in.
    private func accepts(_ leaf: String, _ root: String, _ helpers: String?, at time: WallTime) throws -> Bool {
        let plan = ChildPlan(
            "/usr/bin/openssl",
            ["verify", "-purpose", "sslserver", "-attime", "\(time.seconds)", "-verify_hostname", ChainFiles.name]
                + ["-CAfile", root, "-no-CApath", "-no-CAstore"] + (helpers.map { ["-untrusted", $0] } ?? []) + [leaf]
        )
        return try plan.run(atMost: .seconds(300)).exit.isSuccess
    }

    private func isGood(_ verdict: ChainVerdict) -> Bool {
        if case .good = verdict { true } else { false }
    }

    @Test(
        arguments: ["leaf", "leaf-expired", "leaf-wrong-name", "leaf-unrelated-root"],
        [ChainFiles.now, ChainFiles.begin, ChainFiles.begin + .seconds(-1), ChainFiles.end]
    )
    func `agrees about every certificate at every time`(leaf: String, time: WallTime) throws {
        for helper in ["issuing", nil] {
            let chain = try CertificateChain(
                anchorsPEM: ChainFiles.pem("root"),
                intermediatesPEM: helper.map { try ChainFiles.pem($0) } ?? []
            )
            let ours = chain.verify(leafPEM: try ChainFiles.pem(leaf), names: [ChainFiles.name], at: time)
            let theirs = try accepts(
                ChainFiles.path(leaf),
                ChainFiles.path("root"),
                helper.map(ChainFiles.path),
                at: time
            )
            #expect(isGood(ours) == theirs)
        }
    }

    @Test func `accepts what an authority below the development authority issues`() async throws {
        let now = ChainFiles.now
        let names = [CertificateName.host(ChainFiles.name)]
        let root = try DevelopmentAuthority.make(
            name: "Root",
            permitting: names,
            intermediates: 1,
            now: now,
            random: SeededRandom(seed: 1)
        )
        let issuing = try root.issueAuthority(name: "Issuing", now: now, random: SeededRandom(seed: 2))
        let leaf = try issuing.issue(for: names, key: .rsa2048, now: now, random: SeededRandom(seed: 3))
        try await withTemporaryFolder { folder in
            for (name, pem) in [
                ("root", root.certificatePEM), ("issuing", issuing.certificatePEM), ("leaf", leaf.certificatePEM),
            ] {
                try Files.write(folder + "/" + name, pem, atomically: false)
            }
            #expect(try accepts(folder + "/leaf", folder + "/root", folder + "/issuing", at: now))
            #expect(try !accepts(folder + "/leaf", folder + "/root", nil, at: now))
        }
    }
}
