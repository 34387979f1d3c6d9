import SimulatorCore

// A second host, listed nowhere, on the same listener: services send buyers on to other hosts of theirs, to banks, and back.
//
// The first host answers the start and each page with a redirect to the second, which has the visit's cookie. The way back to
// the merchant comes past the first host again.

extension AmazonPayModel {
    private static let secondHost = "signin.localhost"

    /// Scheme, host and port of the second host; `nil` where it is not used.
    private var secondOrigin: String? {
        guard switches.usesSecondHost, let first = WebURL(configuration.baseURL) else { return nil }
        let scheme = first.isSecure ? "https://" : "http://"
        let port = first.origin.dropFirst(scheme.count + first.host.count)
        return scheme + AmazonPayModel.secondHost + port
    }

    /// The first host's answer to a request for a page of the second; `nil` where the request is at the right host.
    func redirectToSecondHost(_ request: SimulatorRequest, _ route: HostedRoute) -> SimulatorAnswer? {
        guard let second = secondOrigin, route.place != nil, request.method == "GET",
            request.first("host").map({ !second.hasSuffix("//" + $0) }) ?? true
        else { return nil }
        return AmazonPayModel.redirect(to: second + request.path + (request.query.isEmpty ? "" : "?" + request.query))
    }

    /// The first host's answer to the form of the button; `nil` without a second host.
    func redirectToSecondHost(_ visit: HostedVisit, _ request: SimulatorRequest) -> SimulatorAnswer? {
        guard let second = secondOrigin else { return nil }
        var answer = AmazonPayModel.redirect(to: second + HostedRoute.enter.rawValue + "?visit=" + visit.id)
        let cookie = HostedPageState.cookieField(visit, request)
        answer.fields.append(SimulatorAnswer.Field(name: cookie.0, value: cookie.1))
        return answer
    }

    /// The second host's answer to a browser that the first has sent: from here on it has the visit's cookie.
    func enter(_ page: PageRequest) throws(HostedError) -> SimulatorAnswer {
        let visit = try knownVisit(page.parameters["visit"])
        return go(to: nextPlace(visit), visit, setsCookieOn: page.request)
    }

    /// The second host's answer at the end: back over the first; `nil` without a second host.
    mutating func departure(to url: String, _ language: HostedLanguage) -> SimulatorAnswer? {
        guard secondOrigin != nil else { return nil }
        let name = pages.depart(Departure(url: url, language: language))
        return AmazonPayModel.redirect(to: configuration.baseURL + HostedRoute.leave.rawValue + "?to=" + name)
    }

    /// The first host's answer on the way back.
    func leave(_ page: PageRequest) throws(HostedError) -> SimulatorAnswer {
        guard let departure = pages.departure(page.parameters["to"]) else { throw HostedError(.pageNotFound) }
        return HandOff(language: departure.language, redirect: switches.redirect).answer(to: departure.url)
    }

    private static func redirect(to url: String) -> SimulatorAnswer {
        SimulatorAnswer(302, HostedFrame.fields("default-src 'none'") + [("location", url)])
    }
}
