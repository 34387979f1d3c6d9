import Cryptography
import HTTPCore
import Primitives
import Testing
import Web

private func request(
    _ fields: [(name: HTTPFieldName, value: String)] = [],
    target: String = "/",
    body: String = ""
)
    throws -> HTTPRequest
{
    try #require(HTTPRequest(.post, target, fields: fields, body: Array(body.utf8)))
}

/// The code of the refusal; `nil` where there is none.
private func code(_ body: () throws(Failure) -> Void) -> FailureCode? {
    do throws(Failure) {
        try body()
        return nil
    } catch {
        return error.code
    }
}

@Suite struct `A request that a handler reads` {
    private static let form: [(name: HTTPFieldName, value: String)] = [
        (.contentType, "application/x-www-form-urlencoded")
    ]

    @Test(arguments: [
        ("/", nil as String?), ("/?a=", nil), ("/?b=1", nil), ("/?a=1&b=2", "1"), ("/?a=%31", "1"),
    ])
    func `has a parameter of the query that says something`(target: String, value: String?) throws {
        #expect(try request(target: target).parameter("a") == value)
    }

    @Test(arguments: ["/?a=1&a=1", "/?a=1&a=", "/?a=%zz"])
    func `is refused with a parameter that comes twice or has another form`(target: String) throws {
        let request = try request(target: target)
        #expect(code { () throws(Failure) in _ = try request.parameter("a") } == .invalidRequest)
    }

    @Test func `has the fields of its form`() throws {
        let form = try request(Self.form, body: "a=1&b=").form(["a", "b", "c"])
        #expect(form["a"] == "1" && form["b"] == nil && form["c"] == nil)
        #expect(form.isEmpty("b") && !form.isEmpty("a") && !form.isEmpty("c"))
        #expect(code { () throws(Failure) in _ = try form.required("b") } == .invalidRequest)
    }

    @Test(arguments: ["a=1&a=1", "a=1&x=1", "a=%00"])
    func `is refused with a field that comes twice, is unknown or has another form`(body: String) throws {
        let request = try request(Self.form, body: body)
        #expect(code { () throws(Failure) in _ = try request.form(["a"]) } == .invalidRequest)
    }

    @Test func `is refused with a body that is no form`() throws {
        let request = try request([(.contentType, "text/plain")], body: "a=1")
        #expect(code { () throws(Failure) in _ = try request.form(["a"]) } == .invalidRequest)
    }

    @Test(arguments: [
        (["c=1"], "1" as String?, nil as FailureCode?), ([], nil, nil), (["d=1"], nil, nil),
        (["c=1; c=1"], nil, .invalidRequest), (["c=1", "c=2"], nil, .invalidRequest), (["c=no"], nil, .invalidRequest),
    ])
    func `has each cookie once and in its form`(fields: [String], value: String?, refusal: FailureCode?) throws {
        let request = try request(fields.map { (.cookie, $0) })
        var found: String?
        let code = code { () throws(Failure) in
            found = try request.cookie("c") { $0.count == 1 ? String(decoding: [$0[0]], as: UTF8.self) : nil }
        }
        #expect(found == value && code == refusal)
    }

    @Test func `has a caller with a network and a fingerprint, and no more`() throws {
        let named = try request([(.userAgent, "Mozilla/5.0 (secret)")])
        named.peer = PeerAddress(ipv4: 0xC000_0207)
        named.serialNumber = 0x12AB
        let caller = named.caller(try SHA256())
        let digest = SHA256.digest(of: Array("Mozilla/5.0 (secret)".utf8))
        #expect(caller.peer == "192.0.2.0/24 " + "\(digest)".prefix(8))
        #expect(caller.request == "00000000000012ab" && caller.keys == named.peer.keys && !caller.showsKey)
        #expect(try request().caller(try SHA256()).peer == "unknown e3b0c442")
    }
}

@Suite struct `The page that caused a request` {
    private static let own = (name: HTTPFieldName.origin, value: "https://shop.example")

    @Test(
        arguments: [
            ([], true), ([own], true), ([(.origin, "https://SHOP.example:443")], true),
            ([(.secFetchSite, "same-origin")], true), ([own, (.secFetchSite, "none")], true),
            ([(.origin, "https://evil.example")], false), ([(.origin, "null")], false),
            ([own, (.origin, "https://evil.example")], false), ([(.secFetchSite, "none")], false),
            ([(.secFetchSite, "same-site")], false), ([own, (.secFetchSite, "cross-site")], false),
        ] as [([(name: HTTPFieldName, value: String)], Bool)]
    )
    func `is of the same origin`(fields: [(name: HTTPFieldName, value: String)], isOwn: Bool) throws {
        let request = try request(fields)
        let refusal = code { () throws(Failure) in try request.requireSameOrigin(as: "https://shop.example") }
        #expect(refusal == (isOwn ? nil : .csrfRejected))
    }

    @Test(
        arguments: [
            ([], false), ([(.secFetchMode, "navigate"), (.secFetchDestination, "document")], false),
            ([(.secPurpose, "prefetch;prerender")], true), ([(.purpose, "Preview")], true),
            ([(.xMoz, "prefetch")], true),
            ([(.xPurpose, "instant")], true), ([(.secFetchDestination, "image")], true),
            ([(.secFetchMode, "no-cors")], true),
        ] as [([(name: HTTPFieldName, value: String)], Bool)]
    )
    func `only looks ahead`(fields: [(name: HTTPFieldName, value: String)], isPrefetch: Bool) throws {
        #expect(try request(fields).isPrefetch == isPrefetch)
    }

    @Test(arguments: FetchSite.allCases)
    func `is known by the word of a browser`(site: FetchSite) throws {
        let request = try request(site == .absent ? [] : [(.secFetchSite, site.word)])
        #expect(FetchSite(request) == site)
    }
}

@Suite struct `A rate limit` {
    private let start = MonotonicTime(nanoseconds: 0)

    @Test func `refuses what is one too many of a key, with the seconds to wait`() throws {
        let limit = KeyRateLimit(perMinute: 2)
        for _ in 0..<2 { try limit.take(7, at: start) }
        #expect(code { () throws(Failure) in try limit.take(7, at: start) } == .rateLimited)
        try limit.take(8, at: start)
        try limit.take(7, at: start + .seconds(30))
    }

    @Test func `of addresses has ten times as much for their network`() {
        let limit = AddressRateLimit(perMinute: 2)
        func take(_ address: UInt64) -> FailureCode? {
            code { () throws(Failure) in try limit.take(ClientKeys(address: address, network: 1), at: start) }
        }
        let passed = (0..<100).filter { take($0 / 3) == nil }.count
        #expect(passed == 20)
        #expect(limit.wait(ClientKeys(address: 1_000, network: 1), at: start) != nil)
        #expect(limit.wait(ClientKeys(address: 1_000, network: 2), at: start) == nil)
    }
}

@Test func `A failure is told in a log by code and detail, without the words for its client`() {
    let failure = Failure(.invalidRequest, "octet 3", message: "The field \"\u{1B}\" is not known.", field: "\u{1B}")
    #expect(String(reflecting: failure) == "invalid_request: octet 3")
    #expect("\(Failure(.notFound))" == "not_found")
}
