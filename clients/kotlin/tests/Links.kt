package sallyport.client.tests

import sallyport.client.CheckoutConfiguration
import sallyport.client.Completion
import sallyport.client.Checkout
import sallyport.client.ClientKind
import sallyport.client.CartPage
import sallyport.client.LaunchTicket
import sallyport.client.MemoryCheckoutStore
import sallyport.client.Redemption
import sallyport.client.ReturnLink
import sallyport.client.Receipt
import sallyport.client.CheckoutState
import sallyport.client.ConfigurationException
import sallyport.client.ReturnLinkException

internal val configuration = CheckoutConfiguration("https://pay.example.com", "https://link.example.com", ClientKind.ANDROID_APP)
internal val session = "0123456789abcdefghijk"
internal val old = "swa_" + session + "A" + "o".repeat(42)
internal val fresh = "swc_" + session + "A" + "n".repeat(42)
internal const val front = "https://link.example.com/index.html?"

internal fun query(c: String = fresh, a: String = old, token: String = "sealed", order: String = "S03-1") =
    "secureWebviewSessionId=$c&old_secureWebviewSessionId=$a&accessToken=$token&orderReferenceId=$order"

internal class CountingPage(private val answer: (Int) -> Redemption = { Redemption.Paid(Receipt("1", null)) }) : CartPage {
    @Volatile
    var calls = 0

    override fun purchase(link: ReturnLink): Redemption {
        val call = synchronized(this) {
            calls += 1
            calls
        }
        return answer(call)
    }
}

/** What can be wrong with each of the values: name, the refusal with its value, and what stands in the place of the right one. */
private fun forgeries(item: String): List<Triple<String, String, String>> {
    val name = item.substringBefore('=')
    val malformed = listOf("empty" to "", "script" to "');alert(1);('", "encoded" to "%73%77", "a blank" to "+", "encoded twice" to "%2573")
    return malformed.map { Triple("$name, ${it.first}", "MALFORMED_PARAMETER $name", "$name=${it.second}") } + listOf(
        Triple("$name, missing", "MISSING_PARAMETER $name", ""),
        Triple("$name, under a longer name", "MISSING_PARAMETER $name", "x$item"),
        Triple("$name, twice", "REPEATED_PARAMETER $name", "$item&$name=x"),
        Triple("$name, in front, too", "REPEATED_PARAMETER $name", "$name=x&$item")
    )
}

/** Attacks: each is refused for its reason, changes nothing, and the buyer's own link is still taken. */
internal fun attacks() {
    val q = query()
    val host = "link.example.com"
    val cases = listOf(
        "MALFORMED_URL" to listOf("", "x", "https:/$host/index.html?$q", "$front$q ", " $front$q", "$front$q\n", "$front\u00e4$q", "$front$q\\",
            front + q + "&x=" + "y".repeat(4096), "https:///index.html?$q", "https://$host:0/index.html?$q", "https://$host:0443/index.html?$q", "https://$host:99999/index.html?$q",
            "https://$host:/index.html?$q", "https://%6Cink.example.com/index.html?$q", "https://[::1/index.html?$q", "$front$q\u0000",
            "javascript:alert(1)", "//$host/index.html?$q", "https:\\\\$host/index.html?$q", "$front$q\r\n", "$front$q\u3042"),
        "FOREIGN_SCHEME" to listOf("http", "sallyport", "intent", "javascript", "https+x", "file", "").map { "$it://$host/index.html?$q" },
        "FOREIGN_HOST" to listOf("pay.example.com", "$host.evil.test", "$host.", "evil.test", "x.$host", "evil-$host", "127.0.0.1", "l1nk.example.com")
            .map { "https://$it/index.html?$q" },
        "FOREIGN_PORT" to listOf("444", "80", "8443").map { "https://$host:$it/index.html?$q" },
        "FOREIGN_PATH" to listOf("", "/", "/index.htm", "/index.html/", "//index.html", "/INDEX.html", "/a/../index.html", "/index%2Ehtml", "/%69ndex.html",
            "/index.html;a", "/index.html/x")
            .map { "https://$host$it?$q" },
        "USER_INFO" to listOf("user@$host", "user:word@$host", "$host@evil.test", "@$host").map { "https://$it/index.html?$q" },
        "FRAGMENT" to listOf("$front$q#", "$front$q#x", "https://$host/index.html#?$q", "https://$host#@evil.test/index.html?$q"),
        "MISSING_PARAMETER" to listOf("https://$host/index.html", front, "$front&&&") + q.split("&").map { front + q.split("&").minus(it).joinToString("&") } +
            listOf(front + q.replace("accessToken", "accesstoken"), front + q.replace("accessToken", "access%54oken")),
        "REPEATED_PARAMETER" to q.split("&").map { "$front$q&$it" } + listOf("$front$q&accessToken", "$front$q&orderReferenceId="),
        "MALFORMED_PARAMETER" to listOf(query(c = ""), query(a = ""), query(token = ""), query(order = ""), query(c = old), query(a = fresh),
            query(c = fresh + "A"), query(c = fresh.dropLast(1)), query(c = fresh.dropLast(1) + "="), query(c = fresh.dropLast(1) + "+"),
            query(token = "a%20b"), query(token = "a%257Cb"), query(token = "a%7cb"), query(token = "<script>"), query(token = "\"+alert(1)+\""),
            query(token = "a".repeat(2049)), query(order = "a".repeat(65)), query(order = "a_b"), query(order = "a/../b"), query(order = "a'b"),
            query(a = "SWA_" + old.drop(4)), query(order = "%41")).map { front + it },
        "OTHER_SESSION" to listOf(query(c = fresh.replace("0123", "0124")), query(c = "swc_" + session + "Q" + "n".repeat(42)),
            query(c = "swc_" + "z".repeat(64)), query(a = "swa_" + "z".repeat(64))).map { front + it },
        "OTHER_CHECKOUT" to listOf(query(a = old.dropLast(1) + "p"), query(a = "swa_" + "z".repeat(64), c = "swc_" + "z".repeat(64))).map { front + it }
    )
    val page = CountingPage()
    val store = MemoryCheckoutStore()
    val checkout = Checkout(configuration, Completion.Page(page), store)
    val nothing = Checkout(configuration, Completion.Page(page), MemoryCheckoutStore())
    val own = front + q
    case("attack: no checkout") { expect(refusal { checkout.receive(own) }, "NO_CHECKOUT") }
    checkout.open(LaunchTicket.parse(old)!!)
    val before = checkout.state
    val record = store.load()!!.serialize()
    for ((reason, texts) in cases) for ((index, text) in texts.withIndex()) {
        case("attack: $reason ${index + 1}") {
            expect(refusal { checkout.receive(text) }, reason)
            expect(checkout.state, before)
            expect(store.load()!!.serialize(), record)
            expect(refusal { nothing.receive(text) }, if (reason == "OTHER_CHECKOUT") "NO_CHECKOUT" else reason)
            expect(nothing.state, CheckoutState.Idle)
            expect(page.calls, 0)
        }
    }
    for (item in q.split("&")) for ((name, reason, other) in forgeries(item)) case("attack: $name") {
        val text = front + q.replace(item, other)
        expect(try { checkout.receive(text).toString() } catch (refusal: ReturnLinkException) { refusal.message }, reason)
        expect(store.load()!!.serialize(), record)
    }
    case("attack: the buyer's own link is taken after all of them") {
        expect(checkout.receive(own), CheckoutState.Paid(Receipt("1", null)))
        expect(page.calls, 1)
    }
    case("attack: replay after the end") { expect(refusal { checkout.receive(own) }, "REPLAYED") }
    case("attack: a second link after the end") {
        expect(refusal { checkout.receive(front + query(c = fresh.dropLast(1) + "m")) }, "NO_CHECKOUT")
        expect(page.calls, 1)
    }
    for ((name, later) in listOf("too late" to 7200001L, "before its start" to -60001L)) case("attack: $name") {
        var time = 1000000L
        val one = Checkout(configuration, Completion.Page(page), MemoryCheckoutStore(), { time })
        one.open(LaunchTicket.parse(old)!!)
        time += later
        expect(refusal { one.receive(own) }, "LATE")
    }
    for ((name, text) in listOf("large letters" to "HTTPS://LINK.example.COM/index.html?$q", "port 443" to own.replace(".com/", ".com:443/"),
        "an unknown parameter" to "$own&utm=1", "an encoded bar" to front + query(token = "a%7Cb"), "the last bits of byte 16" to
            front + query(c = "swc_" + session + "P" + "n".repeat(42)))) case("link: $name is taken") {
        ReturnLink.parse(text, configuration)
    }
}

internal fun configurations() {
    val good = "https://a.test"
    for (bad in listOf("http://b.test", "https://b.test/x", "https://u@b.test", "https://b.test?x", "https://b.test#x", "b.test", "", "https://",
        "https://b.test:0", "https://A.test")) case("configuration: refuses '$bad'") {
        expect(try { CheckoutConfiguration(good, bad, ClientKind.ANDROID_APP).linkOrigin } catch (error: ConfigurationException) { "refused" }, "refused")
    }
    case("secrets: not in a text") {
        val link = ReturnLink.parse(front + query(), configuration)
        val checkout = Checkout(configuration, Completion.Page(CountingPage()), MemoryCheckoutStore())
        val launch = checkout.open(LaunchTicket.parse(old)!!)
        val text = "$link $launch ${launch.ticket} ${checkout.state} ${link.launchTicket} ${Redemption.Again(launch.url)} ${Completion.Page(CountingPage())}"
        expect(session in text || "sealed" in text, false)
    }
}
