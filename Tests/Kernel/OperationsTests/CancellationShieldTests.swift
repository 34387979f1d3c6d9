import EventIO
import Operations
import TestKit
import Testing

@Suite struct `A shield from cancellation` {
    @Test func `brings a body to its end although nobody waits for it any more`() async throws {
        try await withLoop { reactor in
            let shield = CancellationShield(on: reactor)
            var goesOn = false
            var wasCancelled: Bool?
            let request = reactor.startTask {
                await shield.runToCompletion {
                    while !goesOn { await reactor.nextTurn() }
                    wasCancelled = Task.isCancelled
                }
            }
            #expect(await waitUntil(reactor) { !shield.isIdle })
            request.cancel()
            await reactor.nextTurn()
            #expect(!shield.isIdle && wasCancelled == nil)
            goesOn = true
            #expect(await waitUntil(reactor) { shield.isIdle })
            #expect(wasCancelled == false)
        }
    }

    @Test func `throws what the body throws`() async throws {
        try await withLoop { reactor in
            let shield = CancellationShield(on: reactor)
            let reset = IOError(code: 104, operation: "recv")
            let error = await #expect(throws: IOError.self) {
                try await shield.runToCompletion { () async throws(IOError) in throw reset }
            }
            #expect(error == reset && shield.isIdle)
        }
    }
}
