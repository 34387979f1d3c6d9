import EventIO
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

    @Test func `tells of features that do not work, and the program is ready all the same`() {
        let text = AdminPart.lines("ready", [(name: "wallet", reason: "the certificate has expired")])
        #expect(text == "ready\nversion \(ProgramVersion.text)\ndegraded wallet: the certificate has expired\n")
    }
}
