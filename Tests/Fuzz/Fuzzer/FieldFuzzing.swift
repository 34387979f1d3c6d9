import HTTPCore

/// A cookie that is named once has a value, one that is named twice has none; nothing traps.
///
/// The same bytes go through the other readers of field values: entity tags, languages, word lists, media types.
func fuzzCookies(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let request = HTTPRequest()
    let names: [HTTPFieldName] = [.cookie, .ifNoneMatch, .acceptLanguage, .connection, .contentType]
    for name in names {
        guard request.head.appendField(name: name.text.utf8Span.span, value: bytes.span) else { return 0 }
    }
    let cookies = HTTPCookies(request)
    for name in cookies.names where name.utf8.allSatisfy({ $0 < 0x80 }) {
        let times = cookies.names.count { $0.utf8.elementsEqual(name.utf8) }
        let value = try? cookies.value(name)
        precondition((value != nil) == (times == 1), "only a cookie that stands alone has a value")
    }
    _ = EntityTag("x")?.matches(ifNoneMatchOf: request)
    _ = AcceptLanguage(request).preferredLanguage(among: ["ja", "en"])
    _ = request.fieldLists(.connection, "close")
    _ = request.contentTypeIs(.form)
    if let cookie = SetCookie("n", String(decoding: bytes, as: UTF8.self), sameSite: .lax, maxAge: 1) {
        precondition(HTTPField(.setCookie, cookie.fieldValue) != nil, "a cookie can be sent")
    }
    return 0
}
