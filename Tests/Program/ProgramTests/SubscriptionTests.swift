import FeatureTestKit
import ServerCore
import Settings
import Testing
import Web
import Webhooks

extension EventSubscription {
    fileprivate static let declared = EventSubscription("test.declared", to: [])
    fileprivate static let forgotten = EventSubscription("test.forgotten", to: [])
}

/// A feature that handles the subscription of its card, or one that stands on none.
private struct Listener: Feature, FeatureProcess {
    static let card = FeatureCard("listener", needs: [WebhookDelivery.self], slots: [EventSubscription.declared])

    let isRight: Bool

    init(_ settings: inout SettingReader) {
        isRight = settings.flag("listener.right", true, "whether it handles what it has declared")
    }

    func start(_ process: ProcessContext) -> Listener { self }

    func open(_ loop: LoopContext) throws -> Part {
        try loop.part(WebhookDelivery.self).handle(isRight ? .declared : .forgotten) { _ in }
        return Part()
    }

    final class Part: FeaturePart {
        static let routes: [RouteGroup<Part>] = []
    }
}

@Suite struct `A subscription of a feature` {
    private let features = FeatureSet([WebhookDelivery.self, Listener.self])

    @Test func `stands on its card, or the program does not start`() async throws {
        try await ScriptedProgram.run(features) { _ in }
        let refused = await #expect(throws: FeatureError.self) {
            try await ScriptedProgram.run(features, ["listener.right": "false"]) { _ in }
        }
        #expect(refused?.description.contains("test.forgotten") == true)
    }
}
