import Pages
import Testing

/// The content security policies of any feature's pages.
@Suite struct `The content security policy` {
    @Test func `of a page with our own scripts allows just these`() {
        #expect(
            ContentSecurityPolicy.scripted(Samples.nonce)
                == "default-src 'none'; script-src 'nonce-AAECAwQFBgcICQoLDA0ODw'; style-src 'self'; img-src 'self'; "
                + "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'"
        )
    }
}
