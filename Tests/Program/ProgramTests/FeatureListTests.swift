import EventIO
import HTTPCore
import ServerCore
import ServiceAPI
import Settings
import TestKit
import Testing
import Web
import Webhooks

@testable import Program

@Suite struct `The list of features` {
    @Test func `has no name twice, and what another one needs before it`() {
        #expect(Program.faults == [])
    }

    @Test func `has a feature for every folder of migrations, and a folder where there are statements`() throws {
        let folder = ProjectFolder.path("migrations")
        #expect(try Files.list(folder).sorted() == (["README.md"] + FeatureList.all.migrationFolders).sorted())
    }

    @Test func `is part of what the program says of itself`() {
        #expect(FeatureList.all.routes.contains { $0.path == "/.well-known/security.txt" })
        #expect(RoutesCommand.routes.map(\.path).contains("/.well-known/security.txt"))
        #expect(Configuration.settings.contains { $0.name == "security.contact" })
        #expect(FeatureList.scopes.map(\.text).contains("sessions:read"))
        #expect(FeatureList.eventTypes.map(\.text).contains("session.paid"))
    }

    @Test func `has routes for keys below v1, and those for tokens below app v1 alone`() {
        let described = FeatureList.all.parts.compactMap { $0 as? any ServiceRouted.Type }.flatMap { $0.descriptions }
        let scopes = FeatureList.all.slots(AppScope.self)
        var (keys, tokens): (Set<String>, Set<String>) = (["GET /v1/openapi.json"], [])
        for route in described {
            let row = "\(route.method.text) \(route.path.text)"
            let isWellPlaced = route.isWellPlaced
            #expect(isWellPlaced, "\(row)")
            switch route.principal {
            case .anybody: Issue.record("\(row) takes everybody's requests")
            case .program(let scope):
                #expect(FeatureList.scopes.contains(scope), "\(row)")
                if route.path.text.hasPrefix("/v1/") { keys.insert(row) }
            case .app(let scope):
                #expect(scope.map { scopes.contains($0) } ?? true, "\(row)")
                tokens.insert(row)
            }
        }
        #expect(Set(described.map(\.name)).count == described.count)
        // No other group of routes has rows there.
        func rows(below place: String) -> Set<String> {
            Set(FeatureList.all.routes.filter { $0.path.hasPrefix(place) }.map { "\($0.method.text) \($0.path)" })
        }
        #expect(rows(below: "/v1/") == keys)
        #expect(rows(below: "/app/") == tokens && !tokens.isEmpty)
    }

    @Test func `tells of features that do not work, and the program is ready all the same`() {
        let text = AdminPart.lines("ready", [(name: "wallet", reason: "the certificate has expired")])
        #expect(text == "ready\nversion \(ProgramVersion.text)\ndegraded wallet: the certificate has expired\n")
    }
}
