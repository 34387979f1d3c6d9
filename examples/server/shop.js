// A merchant's server between an app (or a site) and Sallyport's interface /v1. Node.js 18, nothing but its standard library.
//
//   SALLYPORT_URL=https://pay.example.com SALLYPORT_KEY=key.txt PORT=8097 SHOP_STATE=shop.json node shop.js
//
// SALLYPORT_KEY     the API key or the file that holds it; its scopes: sessions:read,sessions:write,payments:write,refunds:write
// SALLYPORT_CA      a PEM file, where the certificate of SALLYPORT_URL is not of a public authority
// WEBHOOK_SECRETS   whsec_..., several with blanks between them, each of 24 bytes or more; where it is not set no webhook is believed
// SHOP_STAFF_TOKEN  what the shop's own people show to capture and refund, 24 characters or more; where it is not set nobody can
// SHOP_RETURN_URL   where buyers of the client `site` come back to
//
// It listens on this machine only: TLS is the business of the proxy in front of it. In production SHOP_STATE is your database, PRICES
// your catalogue, and a login what your app's users have; here every Bearer token of 16 to 128 characters is one.
"use strict";
const crypto = require("node:crypto"), fs = require("node:fs"), http = require("node:http"), https = require("node:https");

const env = process.env;
const PRICES = new Map([["tea", ["Sencha 100 g", 1320, 8]], ["cup", ["Tea cup", 880, 10]]]), POSTAGE = 540;
// What the states of a session mean to an app, and the status that tells it.
const MEANING = {created: "open", at_provider: "open", in_review: "open", paying: "pending", payment_pending: "pending",
    declined: "declined", canceled: "over", expired: "over", closed: "over",
    paid: "paid", captured: "paid", part_refunded: "paid", refunded: "paid"};
const STATUS = {open: 202, pending: 202, declined: 402, over: 410, paid: 200};
const WORD = /^[A-Za-z0-9_-]{1,64}$/;

/** What is answered; thrown where there is nothing more to do. */
class Answer {
    constructor(status, body, retry) { Object.assign(this, {status, body, retry}); }
}

/** Replaces the file as a whole, before anything goes on that relies on it. */
function save() {
    try {
        const file = fs.openSync(STATE + ".new", "w", 0o600);
        fs.writeFileSync(file, JSON.stringify(state));
        fs.fsyncSync(file);
        fs.closeSync(file);
        fs.renameSync(STATE + ".new", STATE);
    } catch {  // What is in memory alone must not be answered: a new start reads what is true.
        stop("SHOP_STATE cannot be written");
    }
}

/** One request; rejects where no whole answer comes. */
function send(method, path, body, key) {
    return new Promise((resolve, reject) => {
        const headers = {Authorization: "Bearer " + API_KEY};
        if (key) Object.assign(headers, {"Content-Type": "application/json", "Idempotency-Key": key});
        const url = URL_OF_SALLYPORT.href.replace(/\/$/, "") + path;
        const client = URL_OF_SALLYPORT.protocol === "https:" ? https : http;
        const request = client.request(url, {method, headers, ca: CA, timeout: 60000, agent: false, autoSelectFamily: true}, reply => {
            const parts = [];
            reply.on("data", part => parts.push(part)).on("error", reject).on("end", () => {
                if (!reply.complete) return reject(new Error("half an answer"));
                try {
                    resolve([reply.statusCode, JSON.parse(Buffer.concat(parts)), reply.headers["retry-after"]]);
                } catch (error) { reject(error); }
            });
        });
        request.on("timeout", () => request.destroy(new Error("no answer in time"))).on("error", reject);
        request.end(key && JSON.stringify(body));
    });
}

/** Asks Sallyport; again, under the same key, where the answer is lost or says `later`. That is safe, another key never is. */
async function ask(method, path, body, key) {
    for (let left = 2; ; left--) {
        let retry, waits = false;
        try {
            const [status, content, after] = await send(method, path, body, key);
            if (status < 500 && status !== 408 && status !== 429 && !(status === 409 && after)) return [status, content, after];
            [retry, waits] = [after, status === 409 || content.code === "outcome_unknown"];
        } catch (error) {
            // What is said of bad JSON quotes it, with the proof in it.
            console.error("shop: no answer to", path, error instanceof SyntaxError ? "no JSON" : error.message);
        }
        const pause = /^[0-9]+$/.test(retry) ? Number(retry) : 1;
        if (left === 0 || pause > 5) {  // Longer than a buyer looks at nothing: the app asks again.
            throw waits ? new Answer(202, {state: "pending"}, pause) : new Answer(503, {state: "unavailable"}, pause);
        }
        await new Promise(resolve => setTimeout(resolve, pause * 1000));
    }
}

/** Logs what no repeat makes better, without any secret; returns its code. */
function refusal(what, status, {code, field, detail}) {
    console.error("shop:", what, status, code, field, detail);
    return code;
}

const yen = amount => ({amount: String(amount), currencyCode: "JPY"});
const digest = (text, form) => crypto.createHash("sha256").update(text).digest(form);
const isSame = (one, other) => crypto.timingSafeEqual(digest(one), digest(other));

function text(value, name, pattern) {
    if (typeof value !== "string" || !pattern.test(value)) throw new Answer(400, {error: name + " is missing or malformed"});
    return value;
}

// For the buyer.

/** Opens a session for the buyer, once for each word of the app. */
async function begin(login, word, body) {
    const client = text(body.client, "client", /^(iosApp|androidApp|site)$/);
    const items = body.items !== null && typeof body.items === "object" && !Array.isArray(body.items) ? Object.entries(body.items) : [];
    if (!items.length || !items.every(([id, count]) => PRICES.has(id) && Number.isInteger(count) && count >= 1 && count <= 99)) {
        throw new Answer(400, {error: "items are names of ours, each with a count of 1 to 99"});
    }
    const name = `open ${login} ${word}`, asked = JSON.stringify([client, items.sort()]);
    if (!state.calls[name]) {
        // Written down before the call: where the answer is lost, the very same request goes out again under the same key.
        const reference = "S-" + crypto.randomBytes(8).toString("hex"), verifier = crypto.randomBytes(32).toString("base64url");
        state.checkouts[reference] = {reference, state: "open", sequence: 0, login, verifier};
        state.calls[name] = {asked, key: "open-" + reference, order: order(reference, client, items, verifier)};
        save();
    }
    const call = state.calls[name], checkout = state.checkouts[call.order.reference];
    if (call.asked !== asked) throw new Answer(422, {error: "this Idempotency-Key was used for another order"});
    if (!checkout.session) {
        const [status, content] = await ask("POST", "/v1/sessions", call.order, call.key);
        if (status !== 201) throw new Answer(502, {error: refusal("no session:", status, content)});
        // The proof never leaves this server: it binds the payment to the login that began it.
        Object.assign(checkout, {session: content.id, proof: content.launch.appProof, launch: content.launch.url});
    } else if ((await look(checkout)).state !== "open") {
        throw new Answer(409, {error: "the checkout of this Idempotency-Key has ended", state: checkout.state});
    }
    state.logins[login] = checkout.reference;
    save();
    return new Answer(201, {reference: checkout.reference, launchUrl: checkout.launch});
}

/** The order as Sallyport wants it; the prices are ours, whatever the app says. */
function order(reference, client, items, verifier) {
    const lines = items.map(([id, quantity]) => {
        const [name, price, taxRate] = PRICES.get(id);
        return {id, name, quantity, unitPrice: yen(price), taxRate};
    });
    return {reference, client, currency: "JPY", pricesIncludeTax: true, lines, postage: {amount: yen(POSTAGE)},
        codeChallenge: digest(verifier, "base64url"), ...(client === "site" && {returnUrl: RETURN_URL})};
}

/** The buyer is back. The proof comes from the login, never from the link, which anybody can send. */
async function redeem(login, body) {
    const returnTicket = text(body.returnTicket, "returnTicket", /^swc_[A-Za-z0-9_-]{64}$/);
    const orderReferenceId = text(body.orderReferenceId, "orderReferenceId", /^[A-Za-z0-9-]{1,64}$/);
    const id = Buffer.from(returnTicket.slice(4), "base64url").toString("hex", 0, 16);
    const checkout = begun(login, id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
    if (!checkout) throw new Answer(403, {state: "refused"});
    if (checkout.state === "paid") return told(checkout);
    const proofs = {returnTicket, orderReferenceId, appProof: checkout.proof, codeVerifier: checkout.verifier};
    const path = `/v1/sessions/${checkout.session}/complete`;
    const [status, content, retry] = await ask("POST", path, proofs, "complete-" + checkout.reference);
    if (status === 202 && content.launch) {  // Profile strict: both halves have met, and only now the buyer agrees, in the tab.
        return new Answer(202, {state: "continue", launchUrl: content.launch.url});
    }
    if (status === 200 || status === 202) {
        note(checkout, content);
        return status === 200 ? told(checkout) : new Answer(202, {state: "pending"}, retry ?? 2);
    }
    const code = refusal("not completed:", status, content);
    if (status === 402 || status === 410) {
        note(checkout, {state: status === 402 ? "declined" : "expired"});
        return told(checkout);
    }
    if (["proof_mismatch", "order_mismatch", "not_found"].includes(code)) throw new Answer(403, {state: "refused"});
    throw new Answer(503, {state: "unavailable"}, 30);
}

/** The checkout of a session, where this login has begun it. In production your database has an index for that. */
function begun(login, session) {
    return Object.values(state.checkouts).find(one => one.session === session && one.login === login);
}

/** How a checkout of a login stands: that of the app's session, or the newest one for an app that has forgotten everything. */
async function current(login, session) {
    const checkout = session ? begun(login, session) : state.checkouts[state.logins[login]];
    if (!checkout) return new Answer(200, {state: "none"});
    return new Answer(200, {...told(await look(checkout)).body, reference: checkout.reference});
}

/** Asks how a checkout stands, unless it has ended. */
async function look(checkout) {
    if (["paid", "over"].includes(checkout.state)) return checkout;
    try {
        const [status, content] = await ask("GET", "/v1/sessions/" + checkout.session);
        if (status === 200) note(checkout, content);
    } catch (error) {
        if (!(error instanceof Answer)) throw error;  // Else what was known before is an answer too.
    }
    return checkout;
}

/** Keeps what Sallyport says of a session. Paid stays paid, whatever comes late. */
function note(checkout, session, sequence) {
    if (sequence <= checkout.sequence) return;  // This webhook has come before.
    checkout.sequence = sequence ?? checkout.sequence;
    if (checkout.state !== "paid") checkout.state = MEANING[session.state] ?? checkout.state;
    if (session.charges?.length) Object.assign(checkout, {charge: session.charges[0].id, total: session.amounts.total.amount});
    save();
}

function told({state, reference, total}) {
    return new Answer(STATUS[state], state === "paid" ? {state, reference, total} : {state});
}

/** The value of some JSON, or null; octets that are no UTF-8 are none. */
function parsed(content) {
    try { return JSON.parse(new TextDecoder("utf-8", {fatal: true}).decode(content)); } catch { return null; }
}

// For Sallyport.

/** A webhook: believed for its signature (Standard Webhooks) and its time, counted once by its place in the session. */
function hear(headers, content) {
    const id = headers["webhook-id"] ?? "", at = headers["webhook-timestamp"] ?? "";
    const tags = WEBHOOK_KEYS.map(key => "v1," + crypto.createHmac("sha256", key).update(`${id}.${at}.`).update(content).digest("base64"));
    const given = (headers["webhook-signature"] ?? "").split(" ");
    const good = tags.flatMap(tag => given.map(part => isSame(tag, part))).includes(true);
    if (!good || !/^[0-9]{1,12}$/.test(at) || Math.abs(Date.now() / 1000 - Number(at)) > 300) {
        throw new Answer(401, {error: "not signed by one of our secrets, or not now"});
    }
    const event = parsed(content);
    if (typeof event?.data !== "object" || event.data === null) throw new Answer(400, {error: "the content is no event"});
    const checkout = state.checkouts[event.data.reference];
    // Another program's order is none of ours, and a test is of no order.
    if (checkout?.session && checkout.session === event.sessionId) note(checkout, event.data, event.sequence);
    return new Answer(204);
}

// For the shop's own people.

/** Captures or refunds, once for each word of theirs. */
async function move(name, deed, word, body) {
    const checkout = state.checkouts[name];
    if (!checkout?.charge) throw new Answer(404, {error: "there is no such order, or it is not paid"});
    const amount = deed === "capture" ? checkout.total : text(body.amount, "amount", /^[1-9][0-9]{0,9}$/);
    const call = state.calls[`${deed} ${name} ${word}`] ??= {key: crypto.randomUUID(), amount};
    save();
    if (call.amount !== amount) throw new Answer(422, {error: "this Idempotency-Key was used for another amount"});
    const [status, content, retry] = await ask("POST", `/v1/charges/${checkout.charge}/${deed}`, {amount: yen(amount)}, call.key);
    if (status < 300) return new Answer(status, {state: content.state, id: content.id}, retry);
    const error = refusal(deed + " refused:", status, content);
    throw new Answer([402, 409, 422].includes(status) ? status : 502, {error, message: content.detail});
}

async function route({method, url, headers}, content) {
    const path = url.split("?")[0], bearer = (headers.authorization ?? "").replace(/^Bearer /, "");
    const order = path.match(/^\/orders\/([A-Za-z0-9-]{1,64})\/(capture|refunds)$/);
    const word = () => text(headers["idempotency-key"], "Idempotency-Key", WORD);
    const login = () => {  // Who asks; only a digest is kept, for the file would otherwise open every account.
        if (/^[A-Za-z0-9_-]{16,128}$/.test(bearer)) return digest(bearer, "hex");
        throw new Answer(401, {error: "Authorization: Bearer and a login of 16 to 128 characters"});
    };
    const body = () => {
        const value = content.length ? parsed(content) : {};
        if (value !== null && typeof value === "object" && !Array.isArray(value)) return value;
        throw new Answer(400, {error: "the content is no JSON object"});
    };
    if (method === "POST" && path === "/webhooks") return hear(headers, content);
    if (method === "POST" && path === "/checkouts") return begin(login(), word(), body());
    if (method === "POST" && path === "/checkouts/return") return redeem(login(), body());
    if (method === "GET" && path === "/checkouts/current") return current(login());
    const one = path.match(/^\/checkouts\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/);
    if (method === "GET" && one) return current(login(), one[1]);
    if (method === "POST" && order) {
        if (!env.SHOP_STAFF_TOKEN || !isSame(bearer, env.SHOP_STAFF_TOKEN)) throw new Answer(403, {error: "for the shop's own people"});
        return move(order[1], order[2], word(), body());
    }
    throw new Answer(404, {error: "there is nothing here"});
}

function stop(message) {
    console.error("shop:", message);
    process.exit(1);
}

const missing = ["SALLYPORT_URL", "SALLYPORT_KEY", "PORT", "SHOP_STATE"].filter(name => !env[name]);
if (missing.length) stop("not set: " + missing.join(", "));
const URL_OF_SALLYPORT = new URL(env.SALLYPORT_URL), STATE = env.SHOP_STATE;
if (URL_OF_SALLYPORT.protocol !== "https:" && !["127.0.0.1", "[::1]", "localhost"].includes(URL_OF_SALLYPORT.hostname)) {
    stop("SALLYPORT_URL has to be https: the key goes there");
}
const API_KEY = (env.SALLYPORT_KEY.startsWith("swk_") ? env.SALLYPORT_KEY : fs.readFileSync(env.SALLYPORT_KEY, "utf8")).trim();
const CA = env.SALLYPORT_CA ? fs.readFileSync(env.SALLYPORT_CA) : undefined;
if (!/^swk_[A-Za-z0-9_-]{24,}$/.test(API_KEY)) stop("SALLYPORT_KEY is no API key, or a file without one");
// What is set and empty is a mistake: it is not taken for what is not set.
const WEBHOOK_KEYS = (env.WEBHOOK_SECRETS ?? "").split(" ").filter(Boolean).map(text => {
    // A key of fewer than 24 bytes is none: an empty one would believe everybody.
    const isKey = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
    const key = Buffer.from(text.replace(/^whsec_/, ""), "base64");
    return isKey && key.length >= 24 ? key : stop("WEBHOOK_SECRETS: each is whsec_ and the Base64 of 24 bytes or more");
});
if (env.WEBHOOK_SECRETS !== undefined && !WEBHOOK_KEYS.length) stop("WEBHOOK_SECRETS is empty");
if (env.SHOP_STAFF_TOKEN !== undefined && !/^[!-~]{24,}$/.test(env.SHOP_STAFF_TOKEN)) {
    stop("SHOP_STAFF_TOKEN has to have 24 characters or more, without blanks");
}
const RETURN_URL = env.SHOP_RETURN_URL ?? "https://shop.example.com/paid";
// What must survive a crash. Names come from outside, so these objects have no ancestors.
const state = fs.existsSync(STATE) ? JSON.parse(fs.readFileSync(STATE)) : {logins: {}, checkouts: {}, calls: {}};
for (const part of Object.values(state)) Object.setPrototypeOf(part, null);

/** Answers one request; `content` is null where it was not read. */
async function serve(request, response, content) {
    let answer;
    try {
        const isCounted = request.method === "GET" || "content-length" in request.headers;
        if (!isCounted || "transfer-encoding" in request.headers) throw new Answer(411, {error: "Content-Length is missing"});
        if (content === null) throw new Answer(413, {error: "at most 65536 bytes"});
        if (!/^[!-~]+$/.test(request.url)) throw new Answer(400, {error: "the path is not written in ASCII"});
        answer = await route(request, content);
    } catch (error) {
        // No values: some are secret.
        if (!(error instanceof Answer)) console.error("shop:", error.name, error.stack.match(/js:\d+/)?.[0]);
        answer = error instanceof Answer ? error : new Answer(500, {error: "the request failed on our side"});
    }
    // A query may hold tickets; other octets than ASCII's visible ones could be a line of their own.
    const path = request.url.split("?")[0].replace(/[^!-~]/g, "?").slice(0, 200);
    console.error("shop:", request.method, path, answer.status);
    const fields = {"Content-Type": "application/json", "Cache-Control": "no-store", Connection: "close"};
    if (answer.retry) fields["Retry-After"] = String(answer.retry);
    response.writeHead(answer.status, fields).end(answer.body && JSON.stringify(answer.body));
}

const server = http.createServer({requestTimeout: 20000, headersTimeout: 20000}, (request, response) => {
    // What is too long is refused by its length; what has none is not read either.
    const isChunked = "transfer-encoding" in request.headers, length = Number(request.headers["content-length"] ?? 0);
    if (isChunked || length > 65536) {
        request.resume();
        if (isChunked || length > 999999) return serve(request, response, null);
        // Closing before the end would take the answer from a client that sends all first.
        return request.on("end", () => serve(request, response, null));
    }
    const parts = [];
    request.on("data", part => parts.push(part)).on("end", () => serve(request, response, Buffer.concat(parts)));
});
server.listen(Number(env.PORT), "127.0.0.1", () => console.error("shop: ready on port", env.PORT));
process.on("SIGTERM", () => server.close(() => process.exit(0)));  // What has begun is answered before.
