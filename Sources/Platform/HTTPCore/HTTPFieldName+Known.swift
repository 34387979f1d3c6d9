// The names this program has a use for, spelled as they go out over HTTP/1.1.

extension HTTPFieldName {
    /// `Accept`: media types the client can use.
    package static let accept = HTTPFieldName(.accept)
    /// `Accept-Encoding`: content codings the client can undo.
    package static let acceptEncoding = HTTPFieldName(.acceptEncoding)
    /// `Accept-Language`: languages the client prefers.
    package static let acceptLanguage = HTTPFieldName(.acceptLanguage)
    /// `Allow`: methods the resource has.
    package static let allow = HTTPFieldName(.allow)
    /// `Authorization`: credentials of the client.
    package static let authorization = HTTPFieldName(.authorization)
    /// `Cache-Control`: who may keep a response, and how long.
    package static let cacheControl = HTTPFieldName(.cacheControl)
    /// `Connection`: what becomes of the connection; the server writes it.
    package static let connection = HTTPFieldName(.connection)
    /// `Content-Disposition`: whether to show or to save.
    package static let contentDisposition = HTTPFieldName(.contentDisposition)
    /// `Content-Encoding`: the coding of the content.
    package static let contentEncoding = HTTPFieldName(.contentEncoding)
    /// `Content-Length`: bytes of content; the server writes it.
    package static let contentLength = HTTPFieldName(.contentLength)
    /// `Content-Security-Policy`: what a page may load and do.
    package static let contentSecurityPolicy = HTTPFieldName(.contentSecurityPolicy)
    /// `Content-Security-Policy-Report-Only`: the same, reported and not enforced.
    package static let contentSecurityPolicyReportOnly = HTTPFieldName(.contentSecurityPolicyReportOnly)
    /// `Content-Type`: media type of the content.
    package static let contentType = HTTPFieldName(.contentType)
    /// `Cookie`: what Set-Cookie has left with the client.
    package static let cookie = HTTPFieldName(.cookie)
    /// `Cross-Origin-Opener-Policy`: which windows share a browsing group.
    package static let crossOriginOpenerPolicy = HTTPFieldName(.crossOriginOpenerPolicy)
    /// `Cross-Origin-Resource-Policy`: who may embed the response.
    package static let crossOriginResourcePolicy = HTTPFieldName(.crossOriginResourcePolicy)
    /// `Date`: when the message was made; the server writes it.
    package static let date = HTTPFieldName(.date)
    /// `ETag`: version of the content.
    package static let entityTag = HTTPFieldName(.entityTag)
    /// `Expect`: what the client waits for.
    package static let expect = HTTPFieldName(.expect)
    /// `Forwarded`: what proxies say about the client.
    package static let forwarded = HTTPFieldName(.forwarded)
    /// `Host`: host and port of the target.
    package static let host = HTTPFieldName(.host)
    /// `Idempotency-Key`: names a request, so that a repeat of it has no second effect.
    package static let idempotencyKey = HTTPFieldName(.idempotencyKey)
    /// `Idempotent-Replayed`: the response is that of an earlier request under the same key.
    package static let idempotentReplayed = HTTPFieldName(.idempotentReplayed)
    /// `If-Modified-Since`: date of the copy the client has.
    package static let ifModifiedSince = HTTPFieldName(.ifModifiedSince)
    /// `If-None-Match`: entity tags the client has.
    package static let ifNoneMatch = HTTPFieldName(.ifNoneMatch)
    /// `Last-Modified`: when the content changed.
    package static let lastModified = HTTPFieldName(.lastModified)
    /// `Location`: where to go next.
    package static let location = HTTPFieldName(.location)
    /// `Origin`: the origin that caused the request.
    package static let origin = HTTPFieldName(.origin)
    /// `Permissions-Policy`: browser features a page may use.
    package static let permissionsPolicy = HTTPFieldName(.permissionsPolicy)
    /// `Purpose`: an old mark of prefetching.
    package static let purpose = HTTPFieldName(.purpose)
    /// `RateLimit`: what a limit leaves to the client.
    package static let rateLimit = HTTPFieldName(.rateLimit)
    /// `RateLimit-Policy`: how many requests a limit allows in which time.
    package static let rateLimitPolicy = HTTPFieldName(.rateLimitPolicy)
    /// `Referer`: the page that caused the request.
    package static let referer = HTTPFieldName(.referer)
    /// `Referrer-Policy`: how much of it goes to other sites.
    package static let referrerPolicy = HTTPFieldName(.referrerPolicy)
    /// `Report-To`: where a browser reports to.
    package static let reportTo = HTTPFieldName(.reportTo)
    /// `Reporting-Endpoints`: named places a browser reports to.
    package static let reportingEndpoints = HTTPFieldName(.reportingEndpoints)
    /// `Retry-After`: seconds to wait before the next try.
    package static let retryAfter = HTTPFieldName(.retryAfter)
    /// `Sec-Fetch-Dest`: what a browser will do with the response.
    package static let secFetchDestination = HTTPFieldName(.secFetchDestination)
    /// `Sec-Fetch-Mode`: the mode of a browser request.
    package static let secFetchMode = HTTPFieldName(.secFetchMode)
    /// `Sec-Fetch-Site`: how origin and target are related.
    package static let secFetchSite = HTTPFieldName(.secFetchSite)
    /// `Sec-Fetch-User`: whether a user caused the request.
    package static let secFetchUser = HTTPFieldName(.secFetchUser)
    /// `Sec-Purpose`: the mark of prefetching and prerendering.
    package static let secPurpose = HTTPFieldName(.secPurpose)
    /// `Set-Cookie`: a cookie to keep.
    package static let setCookie = HTTPFieldName(.setCookie)
    /// `Strict-Transport-Security`: how long to insist on TLS.
    package static let strictTransportSecurity = HTTPFieldName(.strictTransportSecurity)
    /// `Transfer-Encoding`: framing of the content; the server writes it.
    package static let transferEncoding = HTTPFieldName(.transferEncoding)
    /// `Upgrade`: another protocol for the connection; the server writes it.
    package static let upgrade = HTTPFieldName(.upgrade)
    /// `User-Agent`: the software of the client.
    package static let userAgent = HTTPFieldName(.userAgent)
    /// `Vary`: request fields that select among responses in a cache.
    package static let vary = HTTPFieldName(.vary)
    /// `Webview-Session-Id`: the webview session a response belongs to, for support and audit.
    package static let webviewSessionID = HTTPFieldName(.webviewSessionID)
    /// `WWW-Authenticate`: how the client could prove who it is.
    package static let wwwAuthenticate = HTTPFieldName(.wwwAuthenticate)
    /// `X-Content-Type-Options`: whether to guess media types.
    package static let xContentTypeOptions = HTTPFieldName(.xContentTypeOptions)
    /// `X-Forwarded-For`: addresses a proxy has seen.
    package static let xForwardedFor = HTTPFieldName(.xForwardedFor)
    /// `X-Forwarded-Host`: the Host field a proxy has seen.
    package static let xForwardedHost = HTTPFieldName(.xForwardedHost)
    /// `X-Forwarded-Proto`: the scheme a proxy has seen.
    package static let xForwardedProto = HTTPFieldName(.xForwardedProto)
    /// `X-Frame-Options`: who may frame the page.
    package static let xFrameOptions = HTTPFieldName(.xFrameOptions)
    /// `X-Moz`: an old mark of prefetching.
    package static let xMoz = HTTPFieldName(.xMoz)
    /// `X-Purpose`: an old mark of previews.
    package static let xPurpose = HTTPFieldName(.xPurpose)
    /// `X-Request-Id`: the number of a request in logs.
    package static let xRequestID = HTTPFieldName(.xRequestID)
    /// `X-Requested-With`: the script or app that sends the request.
    package static let xRequestedWith = HTTPFieldName(.xRequestedWith)
    /// `X-Robots-Tag`: what search engines may do.
    package static let xRobotsTag = HTTPFieldName(.xRobotsTag)
}
