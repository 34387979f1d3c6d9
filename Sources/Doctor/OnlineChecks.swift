package import HTTPCore
package import Operations
package import Primitives

/// The checks that ask others: the running program under its public names, Amazon, Apple's and Google's lists.
package struct OnlineChecks {
    /// What carries the questions.
    package struct Ways {
        /// To the program's own hosts, with certificates of any issuer.
        package let hosts: any HTTPExchange
        /// To the provider or its simulator.
        package let provider: any HTTPExchange
        /// To everybody else, with the machine's own authorities.
        package let world: any HTTPExchange
        /// The certificate in PEM that answers at an address of the program's own hosts; `nil` where it cannot be had.
        package let certificate: (String) async -> [UInt8]?

        /// The ways.
        ///
        /// - Parameters:
        ///   - hosts: To the program's own hosts.
        ///   - provider: To the provider.
        ///   - world: To everybody else.
        ///   - certificate: The certificate in PEM that answers at an address.
        package init(
            hosts: any HTTPExchange,
            provider: any HTTPExchange,
            world: any HTTPExchange,
            certificate: @escaping (String) async -> [UInt8]?
        ) {
            self.hosts = hosts
            self.provider = provider
            self.world = world
            self.certificate = certificate
        }
    }

    /// What the program should serve.
    package struct Files: Sendable {
        /// For iOS; `nil` without an iOS app.
        package let apple: [UInt8]?
        /// For Android; `nil` without an Android app.
        package let android: [UInt8]?

        /// The files.
        ///
        /// - Parameters:
        ///   - apple: For iOS.
        ///   - android: For Android.
        package init(apple: [UInt8]?, android: [UInt8]?) {
            self.apple = apple
            self.android = android
        }
    }

    let facts: SettingFacts
    let files: Files
    let ways: Ways
    let clock: any WallClock

    /// Checks.
    ///
    /// - Parameters:
    ///   - facts: What the settings say.
    ///   - files: What the program should serve.
    ///   - ways: What carries the questions; redirects are not followed.
    ///   - clock: Read at each question about time, however long the ones before it took.
    package init(_ facts: SettingFacts, files: Files, ways: Ways, clock: any WallClock) {
        self.facts = facts
        self.files = files
        self.ways = ways
        self.clock = clock
    }

    /// Asks all hosts, one after the other; each request takes three seconds at most, the provider's ten.
    ///
    /// - Returns: What was found, in no order.
    package func findings() async -> [Finding] {
        var found = LibraryChecks.findings(facts)
        if let link = facts.link, await reaches(link, &found) {
            found += await certificate(link)
            found += await servedFiles(link)
            found += await lists(link)
        }
        if let web = facts.web, await reaches(web, &found) {
            found += await certificate(web)
            found += await exposure(of: web)
        }
        found += await headers()
        return found + (await account())
    }

    // MARK: Asking

    /// What one question brought.
    enum Answer {
        case response(InboundResponse)
        case failure(String)
    }

    func ask(
        _ method: String,
        _ url: String,
        _ fields: [(String, String)] = [],
        by exchange: (any HTTPExchange)? = nil
    ) async -> Answer {
        let agent = ("User-Agent", "Sallyport-doctor")
        let request = OutboundRequest(method: method, url: url, fields: [agent] + fields, timeout: .seconds(3))
        do throws(HTTPExchangeError) {
            return .response(try await (exchange ?? ways.hosts).send(request))
        } catch {
            return .failure(error.debugDescription)
        }
    }

    /// Whether a host answers at all; one finding where it does not.
    private func reaches(_ base: BaseURL, _ found: inout [Finding]) async -> Bool {
        guard case .failure(let why) = await ask("GET", base.origin + "/") else { return true }
        found.append(OnlineChecks.silence(base, why))
        return false
    }

    /// Why a host gives no answer, in the words of the HTTP library.
    private static func silence(_ base: BaseURL, _ why: String) -> Finding {
        if why.contains("peer certificate") {
            return Finding(
                "D21",
                .error,
                base.setting,
                "The certificate of \(base.origin) is not believed: \(why).",
                remedy: "Serve one for this host from a public authority, with its chain, and not expired."
            )
        }
        if why.contains("SSL connect") {
            return Finding(
                "D20",
                .error,
                base.setting,
                "What answers at \(base.origin) does not speak TLS as it should: \(why).",
                remedy: "Let the port lead to `listen` or to a TLS balancer; `clear_listen` speaks plain HTTP."
            )
        }
        return Finding(
            "D20",
            .error,
            base.setting,
            "\(base.origin) does not answer: \(why).",
            remedy: "Start the program, and let name, port and firewall lead to it."
        )
    }
}
