import HTTPCore
import Primitives
import Testing

@Suite("Cookies")
struct CookieTests {
    private func request(_ fields: String...) throws -> HTTPRequest {
        try #require(HTTPRequest(.get, "/", fields: fields.map { (name: .cookie, value: $0) }))
    }

    @Test(arguments: [
        ("n=v", "v"), ("a=b; n=v", "v"), ("n=v;a=b", "v"), (" n = v ", "v"), ("n=\"v\"", "\"v\""), ("n=\"", "\""),
        ("n=\"\"", "\"\""), ("n=", ""), ("n=a=b", "a=b"), ("junk; n=v;;", "v"), ("N=x; n=v", "v"), ("n=\"v", "\"v"),
    ])
    func `a cookie is found`(field: String, value: String) throws {
        #expect(try HTTPCookies(request(field)).value("n") == value)
    }

    @Test func `names are case-sensitive`() throws {
        let cookies = HTTPCookies(try request("__host-swv-app=evil; __HOST-swv-app=evil"))
        #expect(try cookies.value("__Host-swv-app") == nil)
    }

    @Test(arguments: [
        ["n=1; n=2"], ["n=1; n=1"], ["n=2;a=b;n=1"], ["n=1", "n=2"], ["n=1; n=\"bad"], ["n=; n=1"], ["n=1;\tn=2"],
    ])
    func `two cookies of one name are an error`(fields: [String]) throws {
        let request = try #require(HTTPRequest(.get, "/", fields: fields.map { (name: .cookie, value: $0) }))
        #expect(throws: HTTPCookieError.repeated) { try HTTPCookies(request).value("n") }
        #expect(throws: HTTPCookieError.repeated) { try HTTPCookies(request).read("n") { _ in } }
        #expect(try HTTPCookies(request).value("absent") == nil)
    }

    @Test func `cookies in several fields count as one list`() throws {
        let cookies = HTTPCookies(try request("a=1", "b=2"))
        #expect(try cookies.value("b") == "2")
        #expect(cookies.names == ["a", "b"])
    }

    @Test func `a cookie to set is written exactly`() throws {
        let cookie = try #require(SetCookie("__Host-swv-app", "swp_x", sameSite: .strict, maxAge: 43_200))
        #expect(
            cookie.fieldValue == "__Host-swv-app=swp_x; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200"
        )
        #expect(
            cookie.cleared.fieldValue == "__Host-swv-app=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0"
        )
        #expect(cookie.field.name == .setCookie)
        let plain = try #require(SetCookie("a", "b", path: "/x", flags: [], sameSite: .lax, maxAge: 1))
        #expect(plain.fieldValue == "a=b; Path=/x; SameSite=Lax; Max-Age=1")
    }

    @Test(arguments: ["a;b", "a b", "a\r\nX: y", "a\"", "a,b", "a\\", "ä", "a\0"])
    func `a value that would end its cookie is refused`(value: String) {
        #expect(SetCookie("n", value, sameSite: .lax, maxAge: 1) == nil)
    }

    @Test func `a cookie with a bad name, path or age is refused`() {
        #expect(SetCookie("", "v", sameSite: .lax, maxAge: 1) == nil)
        #expect(SetCookie("a b", "v", sameSite: .lax, maxAge: 1) == nil)
        #expect(SetCookie("a", "v", path: "x", sameSite: .lax, maxAge: 1) == nil)
        #expect(SetCookie("a", "v", path: "/;x", sameSite: .lax, maxAge: 1) == nil)
        #expect(SetCookie("a", "v", sameSite: .lax, maxAge: -1) == nil)
        #expect(SetCookie("__Host-a", "v", path: "/x", sameSite: .lax, maxAge: 1) == nil)
        #expect(SetCookie("__Host-a", "v", flags: .httpOnly, sameSite: .lax, maxAge: 1) == nil)
    }

    @Test func `is the same whether its value is filled in later or not`() throws {
        let cookie = try #require(SetCookie("__Host-a", "to-ken_1", sameSite: .strict, maxAge: 60))
        let pattern = try #require(SetCookie("__Host-a", "", sameSite: .strict, maxAge: 60)?.pattern)
        #expect(pattern.field(8) { room in room.append(copying: "to-ken_1".utf8Span.span) } == cookie.field)
        #expect(cookie.pattern?.field(8) { room in room.append(copying: "to-ken_1".utf8Span.span) } == cookie.field)
    }
}
