import EventIO
import Foundation
import Testing

/// public/js/cart.js itself, with a page that is just enough for it.
@Suite("The script of the cart", .enabled(if: Files.exists("/usr/bin/node"), "node is not installed"))
struct CartScriptTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").path

    /// Presses the button, lets so many seconds pass, then answers; prints what the page says before and behind.
    private static func said(_ answer: String, after seconds: Int) throws -> [String] {
        let program = """
            const parts = {}, handlers = {}, timers = [];
            const part = (id) => parts[id] ||= { textContent: "", disabled: true, hidden: true, addEventListener: (n, f) => handlers[id + n] = f,
              querySelectorAll: () => [], };
            const input = { name: "hd8", value: "1", dataset: { price: "1" }, setAttribute() {}, removeAttribute() {}, addEventListener() {} };
            part("cart_form").querySelectorAll = (what) => what.startsWith("input") ? [input] : [];
            let settle;
            const texts = { opening: "opening", stillOpening: "still", failed: "network", limited: "limited", unavailable: "busy", notANumber: "number" };
            globalThis.document = { getElementById: part };
            globalThis.sessionStorage = { setItem() {}, getItem: () => null };
            globalThis.setTimeout = (run, at) => timers.push({ run, at });
            globalThis.clearTimeout = (id) => { if (timers[id - 1]) timers[id - 1].run = () => {}; };
            globalThis.window = { addEventListener() {}, sallyport: {
              readData: () => ({ client: "iosApp", texts, completion: {} }),
              post: () => new Promise((resolve, reject) => settle = { resolve, reject }) } };
            require("\(root)/public/js/cart.js");
            handlers.cart_formsubmit({ preventDefault() {} });
            setImmediate(() => {
              for (const timer of timers) if (timer.at <= \(seconds) * 1000) timer.run();
              console.log(part("status").textContent);
              \(answer);
              setImmediate(() => {
                for (const timer of timers) timer.run();
                console.log(part("error").textContent + part("status").textContent);
              });
            });
            """
        let result = try ChildPlan("/usr/bin/node", ["-e", program]).run(atMost: .seconds(120))
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        (#"settle.resolve({ status: 503, body: { error: "unavailable" } })"#, 0, ["opening", "busy"]),
        (#"settle.resolve({ status: 500, body: {} })"#, 3, ["opening", "busy"]),
        (#"settle.resolve({ status: 429, body: {} })"#, 3, ["opening", "limited"]),
        (#"settle.resolve({ status: 400, body: { error: "quantity_invalid" } })"#, 0, ["opening", "number"]),
        (#"settle.reject(new Error("offline"))"#, 4, ["still", "network"]),
    ])
    func `blames the network only where nothing answers, and says when that takes long`(
        answer: String,
        seconds: Int,
        words: [String]
    ) throws {
        #expect(try Self.said(answer, after: seconds) == words)
    }
}
