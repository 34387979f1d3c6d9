import HTTPCore
import Operations
import ServerCore
import StrictJSON

/// D20, D22, D26, D27: the association files as phones get them.
struct AssociationProbe {
    /// What the program should serve; `nil` where the settings come to no files.
    let files: Associations?
    let apps: AppSettings
    let context: ProbeContext
    private let world: any HTTPExchange

    init(_ files: Associations?, _ apps: AppSettings, _ context: ProbeContext) {
        self.files = files
        self.apps = apps
        self.context = context
        world = context.exchange("")
    }

    func findings() async -> [Finding] {
        var found: [Finding] = []
        if let link = context.link { found += await servedFiles(link) + lists(link) }
        if let web = context.web { found += await exposure(of: web) }
        return found
    }

    private static let applePath = "/.well-known/apple-app-site-association"
    private static let androidPath = "/.well-known/assetlinks.json"

    /// D20: served as it should be, to anybody.
    private func servedFiles(_ link: BaseURL) async -> [Finding] {
        var found: [Finding] = []
        for (path, file) in [
            (AssociationProbe.applePath, files?.apple), ("/apple-app-site-association", files?.apple),
            (AssociationProbe.androidPath, files?.android),
        ] {
            guard let file else { continue }
            let url = link.origin + path
            let (complaint, body) = await complaint(url, file)
            if let complaint {
                found.append(
                    Finding(
                        "D20",
                        .error,
                        url,
                        complaint,
                        remedy: "Only this program, started with these settings, may answer on the link host."
                    )
                )
            }
            // What others serve in its place is looked into, once.
            if let body, path == AssociationProbe.applePath {
                found += AppleFileChecks(bytes: body, apps: apps.ios, settings: context.settings).findings
            }
        }
        return found
    }

    /// What is wrong with the answer, and the body where it is not the expected one.
    private func complaint(_ url: String, _ file: [UInt8]) async -> (String?, [UInt8]?) {
        guard case .response(let answer) = await context.hosts.ask("GET", url) else {
            return ("It does not answer within 3 s.", nil)
        }
        if (300...399).contains(answer.status) {
            let target = answer.first("location") ?? "somewhere else"
            return ("It redirects to \(target), and phones do not follow.", nil)
        }
        guard answer.status == 200 else { return ("It answers \(answer.status).", nil) }
        let type = answer.first("content-type") ?? "nothing"
        guard type == "application/json" || type.hasPrefix("application/json;") else {
            return ("Its type is \(type), not application/json.", nil)
        }
        if answer.first("set-cookie") != nil { return ("It sets a cookie: caches do not keep such an answer.", nil) }
        guard answer.body == file else {
            return ("It differs from the file that these settings make.", answer.body)
        }
        guard case .response(let head) = await context.hosts.ask("HEAD", url), head.status == 200 else {
            return ("It does not answer 200 to HEAD.", nil)
        }
        return (nil, nil)
    }

    /// D22: pages and files on one host would open the app.
    private func exposure(of web: BaseURL) async -> [Finding] {
        var found: [Finding] = []
        for path in [AssociationProbe.applePath, AssociationProbe.androidPath] {
            guard case .response(let answer) = await context.hosts.ask("GET", web.origin + path), answer.status != 404
            else { continue }
            found.append(
                Finding(
                    "D22",
                    .error,
                    web.origin + path,
                    "The web host answers \(answer.status), so that its pages could open the app.",
                    remedy: "Let only the link host serve association files."
                )
            )
        }
        return found
    }

    // MARK: What the lists hold

    /// D26 and D27: what Apple's and Google's servers hand on.
    private func lists(_ link: BaseURL) async -> [Finding] {
        guard !link.isLoopback else {
            return [
                Finding(
                    "D26",
                    .note,
                    link.setting,
                    "Apple and Google do not see loopback; their lists were not requested."
                )
            ]
        }
        var found: [Finding] = []
        if let apple = files?.apple { found += await appleList(link, apple) }
        if files?.android != nil { found += await googleList(link) }
        return found
    }

    private func appleList(_ link: BaseURL, _ file: [UInt8]) async -> [Finding] {
        let url = "https://app-site-association.cdn-apple.com/a/v1/" + link.plainHost
        guard case .response(let answer) = await world.ask("GET", url) else {
            return [Finding("D26", .note, url, "Apple's list cannot be reached from this machine.")]
        }
        guard answer.status == 200 else {
            let reasons = ["Apple-Failure-Reason", "Apple-Failure-Details"].compactMap { answer.first($0) }
            let why = reasons.isEmpty ? "" : " (" + reasons.joined(separator: ", ") + ")"
            return [
                Finding(
                    "D26",
                    .warning,
                    url,
                    "It answers \(answer.status)\(why).",
                    remedy:
                        "Make sure that the link host answers every client within seconds; Apple fetches the file again within a day."
                )
            ]
        }
        guard answer.body != file else { return [] }
        let age = answer.first("age").map { ", \($0) s old" } ?? ""
        return [
            Finding(
                "D26",
                .warning,
                url,
                "Apple's list has a file that differs from the one of these settings\(age).",
                remedy: "Wait a day: Apple then fetches the file again, and phones fetch it about a week later."
            )
        ]
    }

    private func googleList(_ link: BaseURL) async -> [Finding] {
        let url =
            "https://digitalassetlinks.googleapis.com/v1/statements:list?source.web.site=https://\(link.plainHost)"
            + "&relation=delegate_permission/common.handle_all_urls"
        guard case .response(let answer) = await world.ask("GET", url) else {
            return [Finding("D27", .note, url, "Google's list cannot be reached from this machine.")]
        }
        let packages = AssociationProbe.packages(answer)
        return apps.android.filter { !packages.contains($0.package) }.map { app in
            Finding(
                "D27",
                .warning,
                url,
                "Google's list does not name \(app.package) (status \(answer.status)).",
                remedy: "Make sure that the link host answers every client, and run the doctor again after an hour."
            )
        }
    }

    /// The apps that an answer of Google's list names.
    private static func packages(_ answer: InboundResponse) -> Set<String> {
        do throws(JSONError) {
            let statements = try JSONParser.parse(answer.body)["statements"]?.elements ?? []
            return Set(statements.compactMap { $0["target"]?["androidApp"]?["packageName"]?.text })
        } catch {
            // No list: no app is on it.
            return []
        }
    }
}
