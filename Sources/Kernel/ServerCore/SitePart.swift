import HTTPCore
import Pages
package import Web

/// What every site has, whatever the features are: the static files, a plain frame, and formats of refusals.
///
/// One for all loops.
package final class SitePart: Sendable {
    private let process: ProcessContext
    private let frames: EachLanguage<Frame>

    /// The defaults of a process.
    package init(_ process: ProcessContext) {
        self.process = process
        frames = EachLanguage { language in
            Frame(
                language,
                shopName: process.shopName ?? process.web.host,
                assets: process.assets,
                notice: nil,
                footer: Wording(process.web.host),
                links: []
            )
        }
    }

    /// Offers frame and formats on a loop, before any feature that has its own.
    package func offer(on loop: LoopContext) {
        loop.offer(frames)
        for name in [FormatName.page, .json, .problem] {
            loop.formats[name] = SiteFailures(name, frames, process, loop.refusals)
        }
    }

    /// A route for each static file, under the name that holds its hash.
    package var files: RouteGroup<SitePart> {
        RouteGroup(
            on: .web,
            .page,
            process.assets.files.map { file in
                let type = HTTPField(.contentType, file.contentType).map { [$0] } ?? []
                let answer = FixedAnswer(file.bytes, block: process.headers.asset.adding(type))
                return Route(.get, RoutePattern(file.urlPath), "a static file", .fixed { _ in answer })
            }
        )
    }
}

/// Refusals as sites write them that have no format of their own.
private final class SiteFailures: FailureFormat {
    private let name: FormatName
    private let frames: EachLanguage<Frame>
    private let process: ProcessContext
    private let log: FailureLog

    init(_ name: FormatName, _ frames: EachLanguage<Frame>, _ process: ProcessContext, _ log: FailureLog) {
        self.name = name
        self.frames = frames
        self.process = process
        self.log = log
    }

    func response(to failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        log.note(failure, of: request)
        var response = content(failure, request)
        response.status = failure.code.status
        if let seconds = failure.retryAfter { _ = response.add(.retryAfter, String(seconds)) }
        return response
    }

    private func content(_ failure: Failure, _ request: HTTPRequest) -> HTTPResponse {
        let code = failure.code
        switch name {
        case .page:
            return frames.answer(code.notice.headline, [code.notice.detail], to: request, process.headers)
        case .problem:
            // The texts of codes are constants of ours and hold nothing that JSON would escape.
            let status = code.status.code
            let body = #"{"type":"about:blank","title":"\#(code.message)","status":\#(status),"code":"\#(code.name)"}"#
            return HTTPResponse(code.status, block: process.headers.problem, body: .bytes(Array((body + "\n").utf8)))
        default:
            let body = "{\"error\":\"\(code.name)\",\"message\":\"\(code.message)\"}\n"
            return HTTPResponse(code.status, block: process.headers.json, body: .bytes(Array(body.utf8)))
        }
    }
}
