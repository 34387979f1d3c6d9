import Primitives
import SessionBroker
import TestKit
import Testing

@Suite("The mark of a session on an object of the provider")
struct SessionMarkTests {
    private static let session = UUIDBytes(high: 0x0190_A000_0000_7000, low: 0x8000_0000_0000_002A)
    private static let id = "0190a000-0000-7000-8000-00000000002a"
    private static let other = "0190a000-0000-7000-8000-00000000002b"
    private static let number = "00000-0001A"
    private static let text = "\(id) \(number)"

    @Test func `is its id and the number of its order, and is read as it was written`() {
        #expect(SessionMark(Self.session).description == Self.text)
        #expect(SessionMark(Self.text) == SessionMark(Self.session))
        let random = SeededRandom(seed: 5)
        for _ in 0..<1_000 {
            let session = UUIDBytes(version7At: WallTime(seconds: 1), random: random)
            let mark = SessionMark(session)
            #expect(mark.description.utf8.count == 48 && SessionMark(mark.description) == mark)
        }
    }

    @Test(arguments: ["A-1001", "a b  c", "御中 4F7K9-2QX8M", "e\u{301}\u{301}", "👩‍🍳", text])
    func `holds a reference that has no room elsewhere`(reference: String) {
        let mark = SessionMark(Self.session, reference: reference)
        #expect(mark.description == "\(Self.text) \(reference)")
        let read = SessionMark(mark.description)
        #expect(read?.webviewSession == Self.session && read?.reference?.octets == reference.octets)
        #expect(SessionMark(Self.session, reference: "") == SessionMark(Self.session))
    }

    @Test(
        arguments: [
            "", " ", id, "\(id) ", "\(id)\u{A0}\(number)", "\(id) \(number) ", "\(id) \(number)\tA-1",
            "\(id) \(number)A", " \(text)", "\(id)  \(number)", "\(number) \(id)", "\(other) \(number)",
            "\(id) 00000-0001B", "\(id) 0000000001A", "\(id) oooo0-ooo1a", text.uppercased(),
            "\(id.uppercased()) \(number)", "{\(id)} \(number)",
            "0190a000-0000-7000-8000-00000000002g \(number)", "0190a00000000-7000-8000-00000000002a \(number)",
            "\(id) \u{FF10}0000-0001A", String(repeating: "0", count: 48), String(repeating: "-", count: 48),
            String(repeating: "e\u{301}", count: 10_000), "\u{0}\(text.dropFirst())",
            "\u{FF10}190a000-0000-7000-8000-00000000002a",
        ]
    )
    func `is no other text`(text: String) {
        #expect(SessionMark(text) == nil)
        #expect(SessionMark.session(information: text.isEmpty ? "x" : text, reference: nil) == nil)
    }

    @Test func `is not read from a text that was cut or changed anywhere`() {
        let octets = Array(Self.text.utf8)
        for count in 0..<octets.count {
            #expect(SessionMark(String(decoding: octets[..<count], as: UTF8.self)) == nil, "\(count)")
        }
        for index in octets.indices {
            for octet in UInt8(0)...127 where octet != octets[index] {
                var changed = octets
                changed[index] = octet
                let found = SessionMark(String(decoding: changed, as: UTF8.self))
                // The first digits are no part of the number: there it is the mark of another session.
                let isOther = index < 23 && found?.webviewSession != Self.session
                #expect(found == nil || isOther, "\(index) \(octet)")
            }
        }
    }

    @Test(
        arguments: [
            // The mark decides, whatever the reference says.
            (text, "A-1001", true), (text, other, true), (text, nil, true), ("\(text) A-1", "00000-0001A", true),
            // The payload of a button: the id alone.
            (nil, id, true), ("", id, true), (nil, id.uppercased(), true),
            // A merchant's reference alone names nothing; what somebody has written beside an id makes it somebody else's.
            (nil, "A-1001", false), (nil, number, false), (nil, nil, false), (number, "A-1001", false),
            ("gift", id, false), (number, id, false), ("00000-0001B", id, false), ("\(other) \(number)", id, false),
            (nil, "\(id) ", false),
            (id, id, false),
        ] as [(String?, String?, Bool)]
    )
    func `decides whose an object is`(information: String?, reference: String?, isOurs: Bool) {
        let found = SessionMark.session(information: information, reference: reference)
        #expect(found == (isOurs ? Self.session : nil))
    }
}
