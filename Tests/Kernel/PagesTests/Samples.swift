import Pages
import Primitives

/// Values that these tests share.
enum Samples {
    static func digest(_ bytes: [UInt8]) -> Digest32 {
        guard let digest = Digest32(Array(repeating: UInt8(0xAB), count: Digest32.byteCount).span) else {
            preconditionFailure("32 bytes make a digest")
        }
        return digest
    }

    static let nonce = Nonce(random: CountingRandom())

    /// A frame of a shop whose name would be markup.
    static func frame(_ language: Language, notice: Wording? = nil, links: [Frame.Link] = []) -> Frame {
        Frame(
            language,
            shopName: "<b>&\"",
            assets: StaticAssets([.styles, .mark], read: { _ in [] }, digest: digest),
            notice: notice,
            footer: language == .ja ? "またどうぞ" : "Come again",
            links: links
        )
    }
}

/// Gives 0, 1, 2 and so on.
private final class CountingRandom: RandomSource {
    private var next: UInt8 = 0

    func append(_ count: Int, to output: inout [UInt8]) {
        for _ in 0..<count {
            output.append(next)
            next &+= 1
        }
    }
}
