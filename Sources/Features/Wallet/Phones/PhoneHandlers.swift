import Cryptography
import EventIO
import HTTPCore
import Postgres
import Primitives
import ServerCore
import StrictJSON
import Telemetry
import WalletPass
import Web

// The web service for phones: they register their passes, ask what has changed, fetch it, and say what has gone wrong.

extension WalletPart {
    /// The five routes, below a path.
    static func phoneRoutes(on site: SiteName, below base: String) -> RouteGroup<WalletPart> {
        let registration = RoutePattern(base + "/v1/devices/{device:any}/registrations/{type:any}/{serial:any}")
        let body = 16_384
        return RouteGroup(
            on: site,
            .phone,
            prefix: base + "/",
            bodyLimit: body,
            head: .likeGet,
            slashes: .lenient,
            [
                Route(.post, registration, "a phone registers for a pass", bodyLimit: body, WalletPart.register),
                Route(.delete, registration, "a phone unregisters", bodyLimit: body, WalletPart.unregister),
                Route(
                    .get,
                    RoutePattern(base + "/v1/devices/{device:any}/registrations/{type:any}"),
                    "the passes that have changed",
                    WalletPart.list
                )
                .guarded { part, request throws(Failure) in try part.refuseGuessing(request) },
                Route(
                    .get,
                    RoutePattern(base + "/v1/passes/{type:any}/{serial:any}"),
                    "the newest version of a pass",
                    WalletPart.fetch
                ),
                Route(
                    .post,
                    RoutePattern(base + "/v1/log"),
                    "what went wrong on a phone",
                    bodyLimit: 262_144,
                    WalletPart.log
                ),
            ]
        )
    }

    private func register(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (device, pass) = (try PhonePath.part(request, 0), try named(request, 1))
        let secret = try authorized(request, pass)
        let token = try PushToken(request.body)
        let statement = PhoneStatement.register(pass.type, pass.serial, device, token.text, secret)
        switch try await loop.database.write(statement, key: UUIDBytes(pass.serial)).first() {
        case .created:
            // It may have installed a version that is not the newest any more.
            wake()
            return HTTPResponse(.created, block: loop.headers.plain)
        case .exists: return HTTPResponse(.ok, block: loop.headers.plain)
        case .unauthorized: throw Failure(.passUnauthorized)
        case .full: throw Failure(.passOnTooManyPhones)
        }
    }

    private func unregister(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (device, pass) = (try PhonePath.part(request, 0), try named(request, 1))
        let secret = try authorized(request, pass)
        let statement = PhoneStatement.unregister(pass.type, pass.serial, device, secret)
        switch try await loop.database.write(statement, key: UUIDBytes(pass.serial)).first() {
        case .removed, .absent: return HTTPResponse(.ok, block: loop.headers.plain)
        case .unauthorized: throw Failure(.passUnauthorized)
        }
    }

    private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (device, type) = (try PhonePath.part(request, 0), try PhonePath.part(request, 1))
        let changed = try await loop.database.read(PhoneStatement.list(device, type, request.knownTag)).first()
        guard let serials = changed.serials else {
            // Whoever looks for identifiers of phones meets nothing else.
            limits.lists.count(request.peer.keys, at: loop.reactor.now)
            return HTTPResponse(.noContent, block: loop.headers.plain)
        }
        var body = Array(#"{"serialNumbers":"#.utf8)
        body += serials
        body += Array(#","lastUpdated":"\#(changed.tag)"}"#.utf8)
        return HTTPResponse(.ok, block: loop.headers.json, body: .bytes(body))
    }

    private func refuseGuessing(_ request: HTTPRequest) throws(Failure) {
        if let wait = limits.lists.wait(request.peer.keys, at: loop.reactor.now) {
            throw Failure(.rateLimited, retryAfter: wait)
        }
    }

    private func fetch(_ request: HTTPRequest) async throws -> HTTPResponse {
        let named = try named(request, 0)
        let secret = try authorized(request, named)
        let rows = try await loop.database.read(PhoneStatement.read(named.type, named.serial, secret))
        guard let pass = try rows.single() else { throw Failure(.passUnauthorized) }
        if isKnown(pass, to: request) {
            notModified.increment()
            if request.method == .get { process.recorder.note(pass, by: .known) }
            return answer(.notModified, pass)
        }
        let file = try await files.file(pass, try webService(of: pass))
        if request.method == .get { process.recorder.note(pass, by: .phone) }
        var response = answer(.ok, pass)
        response.body = .bytes(file)
        return response
    }

    private func answer(_ status: HTTPStatus, _ pass: PassVersion) -> HTTPResponse {
        HTTPResponse(status, block: passBlock, fields: pass.validators)
    }

    /// Whether the phone has this version: by its entity tag where it sends one, otherwise by its date.
    private func isKnown(_ pass: PassVersion, to request: HTTPRequest) -> Bool {
        if request.count(.ifNoneMatch) > 0 { return pass.entityTag?.matches(ifNoneMatchOf: request) ?? false }
        guard request.count(.ifModifiedSince) == 1, let text = request.first(.ifModifiedSince),
            let time = HTTPDate.time(ofAnyForm: text, now: SystemClock().now())
        else { return false }
        return pass.modifiedAt <= time
    }

    private func log(_ request: HTTPRequest) async throws -> HTTPResponse {
        let texts = try DeviceLog.lines(request.body)
        let done = HTTPResponse(.ok, block: loop.headers.plain)
        // Phones try again what is refused: what is too much is dropped.
        guard !texts.isEmpty, limits.logs.wait(request.peer.keys, at: loop.reactor.now) == nil else { return done }
        limits.logs.count(request.peer.keys, at: loop.reactor.now)
        let kept = texts.prefix(DeviceLog.greatestLineCount).map { DeviceLogLine($0).json }
        let text = JSONValue.array(kept).description
        let statement = PhoneStatement.log(text, WalletPart.linesPerDay, WalletPart.linesPerCardAndDay)
        _ = try await loop.database.write(statement)
        return done
    }

    private static let linesPerDay: Int64 = 10_000
    private static let linesPerCardAndDay: Int64 = 100

    // MARK: Who asks

    /// The pass that a path names.
    private func named(_ request: HTTPRequest, _ index: Int) throws(Failure) -> (type: String, serial: String) {
        (try PhonePath.part(request, index), try PhonePath.part(request, index + 1))
    }

    /// The number of the secret that the request's token is derived from.
    ///
    /// Only we can derive one, so whoever has none is refused before anything is looked up: in the same time whether or not there
    /// is such a pass.
    private func authorized(_ request: HTTPRequest, _ pass: (type: String, serial: String)) throws(Failure) -> Int32 {
        let secret = request.withPassToken { secrets.secret(behind: $0, of: pass.serial, pass.type) }
        guard let secret else { throw Failure(.passUnauthorized) }
        return Int32(clamping: secret)
    }

    /// What a pass tells the phone of us.
    ///
    /// - Throws: `unavailable` where the secret of its token was taken out of the keyring.
    func webService(of pass: PassVersion) throws(Failure) -> PassWebService {
        guard let token = secrets.token(of: pass.serial, pass.passType, secret: pass.secret) else {
            throw Failure(
                .unavailable,
                "wallet: key \(pass.secret) of the passes is not in the file of keys",
                retryAfter: 300
            )
        }
        return PassWebService(url: webServiceURL, authenticationToken: token)
    }
}

extension PassVersion {
    /// Weak, since a file that is built again has another signature.
    var entityTag: EntityTag? { EntityTag(String(number), isWeak: true) }

    /// The fields by which a phone recognises the version.
    var validators: [HTTPField] {
        var date: [UInt8] = []
        HTTPDate.append(modifiedAt, to: &date)
        let modified = HTTPField(.lastModified, String(decoding: date, as: UTF8.self))
        return [entityTag?.field, modified].compactMap(\.self)
    }
}
