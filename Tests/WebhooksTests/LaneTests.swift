import TestKit
import Testing
import Webhooks

@Suite("The events of one session for one endpoint")
struct LaneTests {
    @Test func `go one by one, and the lane ends with the last`() {
        var lane = WebhookLane(3)
        lane.append(4)
        lane.append(5)
        var goesOn = lane.settle(3, .delivered)
        #expect(goesOn)
        #expect(lane.head == 4)
        goesOn = lane.settle(4, .delivered)
        #expect(goesOn)
        goesOn = lane.settle(5, .delivered)
        #expect(!goesOn)
    }

    @Test func `wait for the one that does not arrive`() {
        var lane = WebhookLane(1)
        lane.append(2)
        var goesOn = lane.settle(1, .again(after: .seconds(5)))
        #expect(goesOn)
        goesOn = lane.settle(1, .again(after: .seconds(10)))
        #expect(goesOn)
        #expect(lane.head == 1)
        #expect(lane.failures == 2)
        goesOn = lane.settle(1, .delivered)
        #expect(goesOn)
        #expect(lane.head == 2)
        #expect(lane.failures == 0)
    }

    @Test func `stay behind a dead one until an operator says so`() {
        var lane = WebhookLane(1)
        let goesOn = lane.settle(1, .park)
        #expect(goesOn)
        #expect(lane.isParked)
        lane.append(2)
        #expect(lane.isParked)
        #expect(lane.head == 1)
        lane.replay()
        #expect(!lane.isParked)
        #expect(lane.failures == 0)
        #expect(lane.head == 1)
        #expect(lane.tail == 2)
    }

    @Test func `are not moved by the late end of a try that was given up`() {
        var lane = WebhookLane(1)
        lane.append(2)
        var goesOn = lane.settle(1, .delivered)
        #expect(goesOn)
        let before = lane
        goesOn = lane.settle(1, .delivered)
        #expect(goesOn)
        goesOn = lane.settle(1, .park)
        #expect(goesOn)
        goesOn = lane.settle(7, .delivered)
        #expect(goesOn)
        #expect(lane == before)
    }

    @Test func `that nobody wants are left out`() {
        var lane = WebhookLane(1)
        lane.append(5)
        var goesOn = lane.settle(1, .delivered) { $0 == 4 }
        #expect(goesOn)
        #expect(lane.head == 4)
        goesOn = lane.settle(4, .delivered) { $0 == 4 }
        #expect(!goesOn)
    }

    @Test func `are sent again from a place on, never leaving the waiting one out`() {
        var lane = WebhookLane(4)
        lane.append(6)
        let goesOn = lane.settle(4, .park)
        #expect(goesOn)
        lane.replay(from: 6)
        #expect(lane.head == 4)
        #expect(!lane.isParked)
        lane.replay(from: 2)
        #expect(lane.head == 2)
        #expect(lane.tail == 6)
    }

    @Test func `that came before add nothing`() {
        var lane = WebhookLane(4)
        lane.append(2)
        #expect(lane.tail == 4)
        #expect(lane.head == 4)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `arrive all and in order, whatever happens on the way`(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        let verdicts = [DeliveryVerdict.delivered, .delivered, .again(after: .seconds(1)), .park]
        var lane: WebhookLane?
        var last: Int64 = 0
        var arrived: [Int64] = []
        for _ in 0..<2000 {
            switch random.below(5) {
            case 0:
                last += 1
                if lane == nil { lane = WebhookLane(last) } else { lane?.append(last) }
            case 1: lane?.replay()
            default:
                guard var current = lane, !current.isParked else { continue }
                let head = current.head
                let verdict = verdicts[random.below(verdicts.count)]
                if verdict == .delivered { arrived.append(head) }
                lane = current.settle(head, verdict) ? current : nil
            }
        }
        let waiting = lane.map { Array($0.head...$0.tail) } ?? []
        #expect(arrived + waiting == Array(1..<(last + 1)))
    }
}
