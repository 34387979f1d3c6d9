import EventIO
import Foundation
import TestKit
import Testing

/// public/js/cart.js itself, with a page that is just enough for it.
@Suite("The script of the cart", .enabled(if: Files.exists("/usr/bin/node"), "node is not installed"))
struct CartScriptTests {
    private static let root = ProjectFolder.path

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
            globalThis.document = { getElementById: part, documentElement: { lang: "ja" } };
            globalThis.setTimeout = (run, at) => timers.push({ run, at });
            globalThis.clearTimeout = (id) => { if (timers[id - 1]) timers[id - 1].run = () => {}; };
            globalThis.window = { addEventListener() {}, sallyport: {
              readData: () => ({ client: "iosApp", texts, completion: {} }), keep() {}, recall: () => ({}), CART: "cart",
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

    /// Two loads of the cart in one tab, with a change in the first, and a purchase in between where it says so.
    @Test(arguments: [("", "3"), (#"page.keep("sallyport.cart", null);"#, "1")])
    func `keeps the quantities until they are bought`(between: String, quantity: String) throws {
        let program = #"""
            const kept = {}, make = () => ({ textContent: "", disabled: true, addEventListener() {}, querySelectorAll: () => [] });
            let parts = {}, changes = [];
            const part = (id) => parts[id] ||= make();
            globalThis.sessionStorage = { getItem: (n) => kept[n] ?? null, setItem: (n, v) => { kept[n] = v; }, removeItem: (n) => { delete kept[n]; } };
            globalThis.document = { getElementById: part, documentElement: { lang: "en" } };
            globalThis.window = { addEventListener() {} };
            const load = () => {
              parts = {}; changes = [];
              const input = { name: "hd8", value: "1", dataset: { price: "1000" }, setAttribute() {}, removeAttribute() {},
                addEventListener: (n, f) => changes.push(f) };
              part("page_data").textContent = JSON.stringify({ client: "browser", texts: {}, completion: {} });
              part("cart_form").querySelectorAll = (what) => what.startsWith("input") ? [input] : [];
              for (const name of ["purchase", "cart"]) {
                const file = ROOT + "/public/js/" + name + ".js";
                delete require.cache[require.resolve(file)];
                require(file);
              }
              return input;
            };
            const first = load();
            first.value = "3";
            changes[0]();
            const page = window.sallyport;
            BETWEEN
            console.log(load().value + " " + part("subtotal").textContent);
            """#.replacing("ROOT", with: "\"\(Self.root)\"").replacing("BETWEEN", with: between)
        let result = try ChildPlan("/usr/bin/node", ["-e", program]).run(atMost: .seconds(120))
        let sum = quantity == "3" ? "3,000" : "1,000"
        #expect(String(decoding: result.output, as: UTF8.self) == "\(quantity) ¥\(sum)\n")
    }

    /// Taps again as soon as the ticket is handed over, and after a while once more; prints how many checkouts there are then.
    @Test func `starts one checkout for a double tap, and another one for a later tap`() throws {
        let program = """
            const parts = {}, handlers = {}, timers = [];
            let started = 0;
            const part = (id) => parts[id] ||= { textContent: "", disabled: false, hidden: true, addEventListener: (n, f) => handlers[id + n] = f,
              querySelectorAll: () => [], };
            const input = { name: "hd8", value: "1", dataset: { price: "1" }, setAttribute() {}, removeAttribute() {}, addEventListener() {} };
            part("cart_form").querySelectorAll = (what) => what.startsWith("input") ? [input] : [];
            globalThis.document = { getElementById: part, documentElement: { lang: "ja" } };
            globalThis.setTimeout = (run, at) => timers.push({ run, at });
            globalThis.clearTimeout = () => {};
            const tap = () => handlers.cart_formsubmit({ preventDefault() {} });
            globalThis.window = { addEventListener() {}, androidApp: { handle: () => setImmediate(tap) }, sallyport: {
              readData: () => ({ client: "androidApp", texts: {}, completion: {} }), keep() {}, recall: () => ({}), CART: "cart",
              post: () => Promise.resolve({ status: 200, body: { secureWebviewSessionId: "ticket" + (started += 1) } }) } };
            require("\(Self.root)/public/js/cart.js");
            tap();
            setImmediate(() => setImmediate(() => {
              console.log(started);
              for (const timer of timers) if (timer.at === 1000) timer.run();
              tap();
              setImmediate(() => {
                console.log(started);
                process.exit();
              });
            }));
            """
        let result = try ChildPlan("/usr/bin/node", ["-e", program]).run(atMost: .seconds(120))
        #expect(String(decoding: result.output, as: UTF8.self) == "1\n2\n")
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

/// public/js/confirm.js itself, with a page that is just enough for it.
@Suite("The script of the confirm page", .enabled(if: Files.exists("/usr/bin/node"), "node is not installed"))
struct ConfirmScriptTests {
    @Test(arguments: [("true", "1"), ("false", "0")])
    func `asks for the page again where the browser has kept it for the back button`(
        persisted: String,
        loads: String
    ) throws {
        let root = ProjectFolder.path
        let program = """
            const heard = {};
            let loads = 0;
            globalThis.location = { reload: () => loads += 1 };
            globalThis.document = { getElementById: (id) => id === "page_data" ? { textContent: "{}" } : null,
              querySelector: () => ({ addEventListener() {} }) };
            globalThis.window = { addEventListener: (name, run) => heard[name] = run };
            require("\(root)/public/js/confirm.js");
            heard.pageshow({ persisted: \(persisted) });
            console.log(loads);
            """
        let result = try ChildPlan("/usr/bin/node", ["-e", program]).run(atMost: .seconds(120))
        #expect(String(decoding: result.output, as: UTF8.self) == loads + "\n")
    }
}
