package import Operations
import Pages
import Primitives
package import ServerCore
package import Settings
import Telemetry
import Web

/// Pages for the shop's staff on the administration listener: sign-in, sessions, record of decisions, and what features bring.
package struct OperatorPages: Feature {
    let keysPath: String
    let times: OperatorSessionTimes
    private let attempts: Int
    private let listener: String

    package static let card = FeatureCard(
        "operators",
        commands: [OperatorsCommand.command],
        statements: .own(OperatorStatement.all),
        failures: FailureCode.ofOperators,
        cookies: OperatorCookie.names,
        demo: FeatureDemo(files: [DemoFile(OperatorRoster.setting, "operators", make: OperatorRoster.demoFile)]),
        slots: [StaticAsset.operatorStyles] + OperatorMenuEntry.own
    )

    package init(_ settings: inout SettingReader) {
        listener = settings.texts["admin_listen"] ?? ""
        keysPath = settings.secretFile(
            OperatorRoster.setting,
            "file with a line `ROLE HASH NAME` for each person who may sign in on the administration listener, as `sallyport operators` prints them; empty: no pages there"
        )
        let idle = settings.duration(
            "operators.idle",
            60...86_400,
            .seconds(1_800),
            "how long a session of the staff lives without a request"
        )
        let absolute = settings.duration(
            "operators.absolute",
            300...604_800,
            .seconds(43_200),
            "how long a session of the staff lives at most"
        )
        times = OperatorSessionTimes(idle: idle, absolute: absolute)
        attempts = settings.number(
            "operators.attempts",
            1...1_000,
            10,
            "sign-ins that fail in a minute, per address and per name; ten times as many per network"
        )
    }

    package var state: FeatureState { keysPath.isEmpty ? .off(set: [OperatorRoster.setting]) : .on }

    package func check(_ settings: inout SettingReader, beside features: ConfiguredFeatures, web: WebOrigin) {
        if times.absolute < times.idle {
            settings.complain("operators.absolute", "less than operators.idle")
        }
    }

    package func findings(_ settings: ExaminedSettings) -> [Finding] { OperatorChecks.findings(settings) }

    package func walkthrough(web: WebOrigin, authorityPath: String) -> Walkthrough? {
        guard !listener.isEmpty else { return nil }
        return Walkthrough(
            page: "",
            text: """
                The shop's staff: http://\(listener)\(OperatorAccess.root)   (name: \(OperatorRoster.demoName), key: in \(keysPath))
                """
        )
    }

    package func start(_ process: ProcessContext) throws -> OperatorProcess {
        try OperatorProcess(self, process, attempts: attempts)
    }
}

/// The pages once per process: who may sign in, limits, frames.
package final class OperatorProcess: FeatureProcess {
    private let keysPath: String
    private let roster: Lock<OperatorRoster>
    let process: ProcessContext
    let listener: AdminListener
    let cookie: OperatorCookie
    let times: OperatorSessionTimes
    let limits: OperatorSignInLimits
    let menu: [OperatorMenuEntry]

    init(_ settings: OperatorPages, _ process: ProcessContext, attempts: Int) throws(ConfigurationError) {
        keysPath = settings.keysPath
        roster = Lock(try OperatorRoster.read(settings.keysPath))
        listener = process.administration ?? AdminListener(origin: nil, isLocal: true)
        guard listener.isSafe else {
            throw ConfigurationError(problems: [
                "\(OperatorRoster.setting): admin_listen is open to other machines and speaks plain HTTP; set admin.base_url to the https origin of a proxy in front of it, or listen on 127.0.0.1"
            ])
        }
        self.process = process
        times = settings.times
        cookie = OperatorCookie(isSecure: listener.isSecure, life: settings.times.absolute)
        limits = OperatorSignInLimits(perMinute: attempts, process.metrics)
        menu = process.activeSlots(OperatorMenuEntry.self)
    }

    /// Who may sign in now.
    var people: OperatorRoster { roster.withLock { $0 } }

    package func open(_ loop: LoopContext) throws -> OperatorPart { try OperatorPart(self, loop) }

    /// Reads the file of the keys again; sessions of whoever is not in it any more, or has another key, end with the next request.
    package func reload() throws {
        let read = try OperatorRoster.read(keysPath)
        roster.withLock { $0 = read }
    }
}
