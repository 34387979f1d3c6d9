import EventIO
import HTTPCore
import Pages
import Postgres
import Primitives
import ServerCore
import Telemetry
import WalletPass
import Web

// The link that a member gets: whoever has it may install the card.

extension WalletPart {
    static var linkRoutes: RouteGroup<WalletPart> {
        RouteGroup(
            on: .web,
            .page,
            head: .likeGet,
            [
                Route(
                    .get,
                    "/wallet/{member}",
                    "a member's card, by the link that the shop has sent",
                    WalletPart.download
                )
                .guarded { part, request throws(Failure) in
                    try part.limits.links.take(request.peer.keys, at: part.loop.reactor.now)
                }
            ]
        )
    }

    /// Where a member downloads the card.
    func link(of account: UUIDBytes, secret: Int, number: Int) throws(Failure) -> String {
        "\(process.web.text)\(try linkPath(of: account, secret: secret, number: number))"
    }

    private func linkPath(of account: UUIDBytes, secret: Int, number: Int) throws(Failure) -> String {
        guard let key = secrets.linkKey(of: account, secret: secret, link: number) else {
            throw Failure(
                .unavailable,
                "wallet: key \(secret) of the links is not in the file of keys",
                retryAfter: 300
            )
        }
        return "/wallet/\(account)?k=\(key.reveal())"
    }

    private func download(_ request: HTTPRequest) async throws -> HTTPResponse {
        // Without a member the key is compared with that of another, so that both take as long.
        let account = UUIDBytes(request.capture(0)) ?? UUIDBytes(high: 0, low: 0)
        let key = try? request.parameter("k")
        let isWhole = (try? request.parameter("all")).map { $0.octets == "1" } ?? false
        let type = try? request.parameter(LinkVisitor.type)
        let limit = isWhole || type != nil ? PassBundle.limit : 1
        let linked = MemberStatement.linked(account, Int32(limit), process.settings.linkLifetime)
        var found = try await loop.database.read(linked).all()
        let isKey = secrets.isKey(
            key ?? "",
            of: account,
            secret: found.first?.secret ?? secrets.newest,
            link: found.first?.link ?? 0
        )
        if let type, !isWhole { found.removeAll { $0.pass.passType.octets != type.octets } }
        guard let first = found.first, isKey else { throw Failure(.notFound) }
        let visitor = LinkVisitor(request)
        if visitor.wantsPage {
            let path = try linkPath(of: account, secret: first.secret, number: first.link)
            let cards = isWhole ? "&all=1" : type == nil ? "" : "&\(LinkVisitor.type)=\(first.pass.passType)"
            return page(to: request, path + cards, for: visitor)
        }
        var cards: [PassFile] = []
        for (index, card) in found.enumerated() {
            let bytes = try await files.file(card.pass, try webService(of: card.pass))
            cards.append(PassFile(name: "\(index + 1).pkpass", bytes: bytes))
        }
        let response = cards.count == 1 ? single(cards[0], first.pass) : try await bundle(cards)
        if request.method == .get { for card in found { process.recorder.note(card.pass, by: .link) } }
        return response
    }

    private func single(_ card: PassFile, _ pass: PassVersion) -> HTTPResponse {
        var response = HTTPResponse(.ok, block: linkBlock, fields: pass.validators)
        let name = pass.passType.octets.parts(between: UInt8(ascii: ".")).last ?? "card"
        _ = response.add(.contentDisposition, "attachment; filename=\"\(name).pkpass\"")
        response.body = .bytes(card.bytes)
        return response
    }

    /// Several cards in one file.
    private func bundle(_ cards: [PassFile]) async throws(Failure) -> HTTPResponse {
        var response = HTTPResponse(.ok, block: bundleBlock)
        response.add(.contentDisposition, constant: "attachment; filename=\"cards.pkpasses\"")
        response.body = .bytes(try await files.bundle(cards))
        return response
    }

    private func page(to request: HTTPRequest, _ path: String, for visitor: LinkVisitor) -> HTTPResponse {
        let language = Language(preferredBy: request)
        let file = LinkTarget(path + "&\(LinkVisitor.download)=1") ?? .root
        let code = visitor.hasOtherPhone ? QRCode(process.web.text + path) : nil
        let document = frames[language].linkPage(file, code)
        var response = HTTPResponse(.ok, block: pageBlock, body: .bytes(document.bytes))
        _ = response.add(.contentSecurityPolicy, ContentSecurityPolicy.plain)
        return response
    }
}

/// Who opens a link: a person whose browser may not take a card by itself, or whatever else.
struct LinkVisitor {
    /// The parameter with which the page asks for the card.
    static let download = "download"
    /// The parameter that names one of several cards by its pass type.
    static let type = "type"

    /// Whether the answer is the page that says how the card gets onto the phone.
    ///
    /// Browsers ask for HTML by name; curl, and what fetches cards, does not. Of browsers those of an iPhone that call themselves
    /// Safari take a card by one tap; the windows of other apps there do not.
    let wantsPage: Bool
    /// Whether the phone that is to have the card is another machine: whoever sits at a computer.
    let hasOtherPhone: Bool

    init(_ request: HTTPRequest) {
        let asksForCard = (try? request.queryParameters().all)?.contains {
            $0.name.octets == LinkVisitor.download.octets
        }
        var isBrowser = false
        request.forEachValue(.accept) { value in isBrowser = isBrowser || value.has("text/html") }
        var takesCards = false
        var isPhone = false
        request.forEachValue(.userAgent) { value in
            takesCards = value.has("iPhone") && value.has("Safari/")
            isPhone = value.has("iPhone") || value.has("Android") || value.has("Mobile")
        }
        wantsPage = isBrowser && !takesCards && asksForCard != true
        hasOtherPhone = !isPhone
    }
}

extension Span<UInt8> {
    /// Whether a word stands somewhere in the field.
    fileprivate func has(_ word: StaticString) -> Bool {
        guard count >= word.utf8CodeUnitCount else { return false }
        return (0...(count - word.utf8CodeUnitCount)).contains { start in
            extracting(start..<(start + word.utf8CodeUnitCount)).isEqual(to: word)
        }
    }
}
