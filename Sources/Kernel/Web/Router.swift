package import HTTPCore
package import HTTPServer

/// Finds the route of a request and turns every outcome into a response; one per listener and loop.
///
/// The host comes first, then what the site keeps out, the path, the method, and what the route asks for.
package final class Router: RequestHandler {
    private let tables: [Routes.SiteTable]
    private let paths: [Routes.Path]
    private let bytes: [[UInt8]]
    private let misdirected: StaticResponse

    /// A router of everything that was mounted.
    ///
    /// - Parameter misdirected: The answer to every host that is no site's.
    package init(_ routes: consuming Routes, misdirected: StaticResponse) {
        tables = routes.tables
        paths = routes.paths
        bytes = routes.paths.map { Array($0.pattern.text.utf8) }
        self.misdirected = misdirected
    }

    package func bodyLimit(for request: HTTPRequest) -> Int? {
        guard let table = table(of: request) else { return nil }
        guard let path = path(of: request, on: table) else { return prefix(of: request, on: table)?.bodyLimit }
        return paths[path].row(request.method)?.bodyLimit ?? prefix(of: request, on: table)?.bodyLimit
    }

    package func refusal(of request: HTTPRequest, with status: HTTPStatus) -> HTTPResponse? {
        guard let table = table(of: request) else { return nil }
        let row = path(of: request, on: table).flatMap { paths[$0].row(request.method) }
        let format = row?.format ?? prefix(of: request, on: table)?.format ?? table.fallback
        return format.response(toContentRefusedWith: status, limit: bodyLimit(for: request), request)
    }

    package func patience(for request: HTTPRequest) -> Duration? {
        row(of: request)?.patience
    }

    package func lateAnswer(to request: HTTPRequest) -> HTTPResponse? {
        row(of: request)?.format.response(to: Failure(.unavailable), request)
    }

    package func name(of request: HTTPRequest) -> String {
        guard case .found(let index) = request.match.row, let row = paths[index].row(request.method) else { return "" }
        return "\(row.method.text) \(paths[index].pattern.text)"
    }

    /// The row of a request that was handed to its handler.
    private func row(of request: HTTPRequest) -> Routes.Row? {
        guard case .found(let index) = request.match.row else { return nil }
        return paths[index].row(request.method)
    }

    package func handle(_ request: HTTPRequest) -> HandlerResult {
        let usual = usualTable(of: request)
        guard let table = usual ?? respelledTable(of: request) else { return .precomposed(misdirected) }
        if usual == nil, let answer = respelling(of: request, on: table) { return .now(answer) }
        if let gate = table.site.gate, let refusal = gate(request) { return .now(refusal) }
        guard let index = path(of: request, on: table) else {
            let format = prefix(of: request, on: table)?.format ?? table.fallback
            return .now(format.response(to: Failure(.notFound), request))
        }
        guard let row = paths[index].row(request.method) else { return .now(refuseMethod(request, paths[index])) }
        if request.method == .head, !row.isHeadLikeGet, case .later = row.action {
            // It has an effect, or looks a token up: a HEAD reveals nothing.
            return .now(HTTPResponse(.ok, block: table.site.headFields))
        }
        return answer(request, row)
    }

    private func answer(_ request: HTTPRequest, _ row: Routes.Row) -> HandlerResult {
        if let check = row.check {
            do throws(Failure) {
                try check(request)
            } catch {
                return .now(row.format.response(to: error, request))
            }
        }
        switch row.action {
        case .fixed(let answer): return .precomposed(answer.answer(request))
        case .now(let handler):
            do throws(Failure) {
                return .now(try handler(request))
            } catch {
                return .now(row.format.response(to: error, request))
            }
        case .later(let admit, let handler):
            if let refusal = admit?(request) { return .precomposed(refusal) }
            return .later {
                do throws(Failure) {
                    return try await handler(request)
                } catch {
                    return row.format.response(to: error, request)
                }
            }
        }
    }

    private func refuseMethod(_ request: HTTPRequest, _ path: Routes.Path) -> HTTPResponse {
        let format = path.rows.last?.format
        var response = format?.response(to: Failure(.methodNotAllowed), request) ?? HTTPResponse(.methodNotAllowed)
        let methods = path.rows.map { $0.method == .get ? "GET, HEAD" : "\($0.method.text)" }
        _ = response.add(.allow, methods.joined(separator: ", "))
        return response
    }

    // MARK: Finding

    private func table(of request: HTTPRequest) -> Routes.SiteTable? {
        usualTable(of: request) ?? respelledTable(of: request)
    }

    private func usualTable(of request: HTTPRequest) -> Routes.SiteTable? {
        for table in tables {
            guard let host = table.site.host else { return table }
            if request.hostIs(host) { return table }
        }
        return nil
    }

    /// Other spellings are rare: they are looked for when no site is written like that.
    private func respelledTable(of request: HTTPRequest) -> Routes.SiteTable? {
        tables.first { table in table.site.host.map { request.hostNames($0) } ?? false }
    }

    /// Sends a browser that goes to a page under the name with the dot of the root to the usual one: to a browser they are two
    /// sites, and its cookies would not come back from the provider.
    private func respelling(of request: HTTPRequest, on table: Routes.SiteTable) -> HTTPResponse? {
        guard let origin = table.site.origin, request.hasRootDot,
            request.method == .get || request.method == .head, request.fieldIs(.secFetchMode, "navigate")
        else { return nil }
        var response = HTTPResponse(.seeOther, block: table.site.headFields)
        let query = request.query.map { "?" + $0 } ?? ""
        return response.add(.location, origin + request.path + query) ? response : nil
    }

    /// The path's index; looked for once per request.
    private func path(of request: HTTPRequest, on table: Routes.SiteTable) -> Int? {
        switch request.match.row {
        case .found(let index): return index
        case .none: return nil
        case .unsearched: break
        }
        var match = RouteMatch()
        let found = request.withPath { find($0, table, &match) }
        match.row = found.map { .found($0) } ?? .none
        request.note(match)
        return found
    }

    private func find(_ path: Span<UInt8>, _ table: Routes.SiteTable, _ match: inout RouteMatch) -> Int? {
        if path.count < table.exact.count {
            for index in table.exact[path.count] {
                let text = bytes[index]
                if path.isEqual(to: text.span) { return index }
            }
        }
        for index in table.patterns {
            match = RouteMatch()
            if paths[index].pattern.matches(path, &match) { return index }
        }
        match = RouteMatch()
        return nil
    }

    private func prefix(
        of request: HTTPRequest,
        on table: Routes.SiteTable
    ) -> (text: [UInt8], format: any FailureFormat, bodyLimit: Int?)? {
        request.withPath { path in
            for prefix in table.prefixes where path.count >= prefix.text.count {
                let text = prefix.text
                if path.extracting(first: text.count).isEqual(to: text.span) { return prefix }
            }
            return nil
        }
    }
}

extension Routes.Path {
    /// The row of a method; that of GET for HEAD.
    func row(_ method: HTTPMethod) -> Routes.Row? {
        let wanted = method == .head ? .get : method
        return rows.first { $0.method == wanted }
    }
}
