import EventIO
import HTTPCore
import Postgres
import Primitives
import ServerCore
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
        guard let key = secrets.linkKey(of: account, secret: secret, link: number) else {
            throw Failure(
                .unavailable,
                "wallet: key \(secret) of the links is not in the file of keys",
                retryAfter: 300
            )
        }
        return "\(process.web.text)/wallet/\(account)?k=\(key.reveal())"
    }

    private func download(_ request: HTTPRequest) async throws -> HTTPResponse {
        // Without a member the key is compared with that of another, so that both take as long.
        let account = UUIDBytes(request.capture(0)) ?? UUIDBytes(high: 0, low: 0)
        let key = try? request.parameter("k")
        let found = try await loop.database.read(MemberStatement.linked(account)).single()
        let isKey = secrets.isKey(
            key ?? "",
            of: account,
            secret: found?.secret ?? secrets.newest,
            link: found?.link ?? 0
        )
        guard let found, isKey else { throw Failure(.notFound) }
        let file = try await files.file(found.pass, try webService(of: found.pass))
        if request.method == .get { process.recorder.note(found.pass, isByLink: true) }
        var response = HTTPResponse(.ok, block: linkBlock, fields: found.pass.validators)
        let name = found.pass.passType.octets.parts(between: UInt8(ascii: ".")).last ?? "card"
        _ = response.add(.contentDisposition, "attachment; filename=\"\(name).pkpass\"")
        response.body = .bytes(file)
        return response
    }
}
