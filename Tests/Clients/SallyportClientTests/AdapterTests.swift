import EventIO
import Foundation
import TestKit
import Testing

@Suite("The adapters of iOS")
struct AdapterTests {
    @Test func `compile against the signatures of the frameworks`() throws {
        let root = ProjectFolder.path
        var plan = ChildPlan(root + "/scripts/check-adapters", [], environment: ProcessInfo.processInfo.environment)
        plan.workingDirectory = root
        let done = try plan.run(atMost: .seconds(600))
        #expect(done.exit == .code(0), "\(String(decoding: done.output, as: UTF8.self))")
    }
}
