import Pages
import Testing

/// A shop's own logo and colour.
@Suite struct `A shop's look` {
    @Test(arguments: ["", "#fff", "17525f", "#17525g", "#17525f;", "#+17525", "red", "#17525f "])
    func `takes no colour of another form`(text: String) {
        #expect(AccentColour(text) == nil)
    }

    @Test(
        arguments: [
            // Text on it, and whether links have it on light and on dark ground.
            ("#17525f", "#ffffff", [true, false]), ("#ffffff", "#000000", [false, true]),
            ("#000000", "#ffffff", [true, false]), ("#ff9900", "#000000", [false, true]),
            // One step between white and black.
            ("#767676", "#ffffff", [false, false]), ("#777777", "#000000", [false, false]),
        ]
    ) func `takes a colour, and text that can be read on it`(text: String, ink: String, links: [Bool]) throws {
        let lines = try styles(text).split(separator: "\n")
        #expect(lines[0].contains("--accent: \(text);") && lines[0].contains("--accent-ink: \(ink)"))
        #expect(lines.dropFirst().map { $0.contains("--link: \(text);") } == links, "\(lines)")
    }

    @Test func `gives a button an edge where it is like its ground`() throws {
        #expect(try styles("#ffffff").contains("light) { :root { --accent-edge: var(--edge); } }"))
        #expect(try styles("#1d2327").contains("dark) { :root { --accent-edge: var(--edge); } }"))
        #expect(
            try !styles("#7a1f3d").contains("light) { :root { --link: #7a1f3d; --link-strong: #7a1f3d; --accent-edge")
        )
    }

    @Test(
        arguments: [
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0], true), ([0xFF, 0xD8, 0xFF, 0xE0], true),
            (Array("RIFF....WEBPVP8 ".utf8), true), (Array("<?xml version=\"1.0\"?>\n<svg>".utf8), true),
            (Array("-----BEGIN PRIVATE KEY-----".utf8), false), (Array("<html><svg>".utf8), false), ([], false),
            (Array("RIFF....WAVEfmt ".utf8), false),
        ] as [([UInt8], Bool)]
    ) func `takes a picture by its content`(bytes: [UInt8], isPicture: Bool) {
        #expect((ShopLogo(bytes) != nil) == isPicture)
    }

    private func styles(_ text: String) throws -> String {
        let accent = try #require(AccentColour(text))
        let assets = StaticAssets([], read: { _ in [] }, digest: Samples.digest, look: ShopLook(accent: accent))
        return String(decoding: try #require(assets.files.last).bytes, as: UTF8.self)
    }
}
