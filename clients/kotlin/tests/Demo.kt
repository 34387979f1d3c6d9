package sallyport.client.tests

import sallyport.client.Checkout
import sallyport.client.CheckoutConfiguration
import sallyport.client.CheckoutEnd
import sallyport.client.CheckoutException
import sallyport.client.CheckoutState
import sallyport.client.ClientKind
import sallyport.client.Completion
import sallyport.client.FileCheckoutStore
import sallyport.client.HttpCartPage
import sallyport.client.HttpMerchantServer
import sallyport.client.HttpUrlConnectionTransport
import sallyport.client.Launch
import sallyport.client.MemoryCheckoutStore
import sallyport.client.Receipt
import java.io.File
import java.nio.file.Files
import java.util.UUID
import javax.net.ssl.SSLException

/** A demo that runs: where it is, its profile, and the shop's server over it, where there is one. */
internal class Demo(
    private val web: String,
    private val link: String,
    private val simulator: String,
    authority: File,
    private val isStrict: Boolean
) {
    private val trust = trust(authority)
    val transport = HttpUrlConnectionTransport(trust)

    /** How many purchases the cases have seen paid: as many as the provider has to know. */
    var purchases = 0
        private set

    fun configuration(kind: ClientKind) = CheckoutConfiguration(web, link, kind)

    fun buyer() = Buyer(simulator, trust)

    /** Goes to the tab as often as the profile wants it, and is paid. */
    fun pay(checkout: Checkout, launch: Launch, buyer: Buyer = buyer(), back: String = buyer.shop(launch)): Receipt {
        var state = checkout.receive(back)
        var last = back
        if (isStrict) {
            val again = (state as? CheckoutState.Opening ?: throw AssertionError("strict, but: $state")).launch
            expect(again.ticket == launch.ticket, false)
            expect(refusal { checkout.receive(back) }, "OTHER_CHECKOUT")
            last = buyer.shop(again)
            state = checkout.receive(last)
        }
        expect(refusal { checkout.receive(last) }, "REPLAYED")
        val receipt = (state as? CheckoutState.Paid ?: throw AssertionError("not paid, but: $state")).receipt
        expect(receipt.reference != null, true)
        purchases += 1
        return receipt
    }
}

private fun record() = File(Files.createTempDirectory("sallyport-kotlin").toFile(), "record")

/** Whole purchases with a cart page, against a running demo. */
internal fun pages(demo: Demo) {
    val order = mapOf("hd8" to 1, "hd10" to 1)
    for (kind in ClientKind.values()) case("demo: a whole purchase by the cart page, ${kind.text}") {
        val page = HttpCartPage(demo.configuration(kind), demo.transport)
        val checkout = Checkout(demo.configuration(kind), Completion.Page(page), MemoryCheckoutStore())
        demo.pay(checkout, checkout.open(page.begin(order)))
    }
    val configuration = demo.configuration(ClientKind.ANDROID_APP)
    case("demo: the app dies in the tab, and the new one completes the purchase") {
        val page = HttpCartPage(configuration, demo.transport)
        val file = record()
        val launch = Checkout(configuration, Completion.Page(page), FileCheckoutStore(file)).open(page.begin(order))
        val kept = HttpCartPage.Memory.parse(page.memory.serialize())
        val after = Checkout(configuration, Completion.Page(HttpCartPage(configuration, demo.transport, kept)), FileCheckoutStore(file))
        expect(after.resume(), CheckoutState.InTab)
        demo.pay(after, launch)
    }
    case("demo: a link that another app has stolen is of no use without the verifier and the cookie") {
        val page = HttpCartPage(configuration, demo.transport)
        val checkout = Checkout(configuration, Completion.Page(page), MemoryCheckoutStore())
        val launch = checkout.open(page.begin(order))
        val buyer = demo.buyer()
        val back = buyer.shop(launch)
        val thief = Checkout(configuration, Completion.Page(HttpCartPage(configuration, demo.transport)), MemoryCheckoutStore())
        thief.open(launch.ticket)
        expect(thief.receive(back), CheckoutState.Ended(CheckoutEnd.REFUSED))
        demo.pay(checkout, launch, buyer, back)
    }
    case("demo: forgeries of the buyer's link are refused, and the link itself buys") {
        val page = HttpCartPage(configuration, demo.transport)
        val checkout = Checkout(configuration, Completion.Page(page), MemoryCheckoutStore())
        val launch = checkout.open(page.begin(order))
        val buyer = demo.buyer()
        val back = buyer.shop(launch)
        val secret = launch.ticket.text.drop(26)
        for ((reason, text) in listOf("FOREIGN_SCHEME" to back.replace("https:", "http:"), "FOREIGN_HOST" to back.replace("//", "//x"),
            "FOREIGN_PORT" to back.replace(Regex(":[0-9]+/"), "/"), "FOREIGN_PATH" to back.replace(".html", ".htm"), "FRAGMENT" to "$back#",
            "USER_INFO" to back.replace("//", "//x@"), "MISSING_PARAMETER" to back.substringBeforeLast('&'), "REPEATED_PARAMETER" to back + "&accessToken=x",
            "MALFORMED_PARAMETER" to "$back'", "OTHER_SESSION" to back.replace("=swc_", "=swc_AAAA").replace(Regex("(swc_.{64}).{4}"), "$1"),
            "OTHER_CHECKOUT" to back.replace(secret, "A".repeat(secret.length)))) {
            expect(refusal { checkout.receive(text) }, reason)
            expect(checkout.state, CheckoutState.Opening(launch))
        }
        demo.pay(checkout, launch, buyer, back)
    }
    case("demo: the authority of somebody else is not trusted") {
        val page = HttpCartPage(configuration, HttpUrlConnectionTransport())
        expect(try { page.begin(order).toString() } catch (error: SSLException) { "refused" }, "refused")
    }
}

/** Whole purchases with a cart of the app's own, over examples/server/shop.py and `/v1` of a running demo. */
internal fun shops(demo: Demo, base: String) {
    val items = mapOf("tea" to 2)
    fun app(kind: ClientKind = ClientKind.ANDROID_APP, login: String = UUID.randomUUID().toString(), file: File = record()): Checkout {
        val server = HttpMerchantServer(base, HttpUrlConnectionTransport()) { login }
        return Checkout(demo.configuration(kind), Completion.Server(server), FileCheckoutStore(file))
    }

    for (kind in ClientKind.values()) case("shop.py: a whole purchase, ${kind.text}") {
        val checkout = app(kind)
        expect(demo.pay(checkout, checkout.begin(items, "one")).total, "3180")
    }
    case("shop.py: an order of the app's own is the same order at its second try") {
        val checkout = app()
        val launch = checkout.begin("""{"items": {"tea": 2}, "coupon": "SPRING"}""", "one")
        expect(checkout.begin(items, "one"), launch)
    }
    case("shop.py: the app dies in the tab, and the new one completes the purchase") {
        val login = UUID.randomUUID().toString()
        val file = record()
        val launch = app(login = login, file = file).begin(items, "one")
        val after = app(login = login, file = file)
        expect(after.resume(), CheckoutState.InTab)
        expect(demo.pay(after, launch).total, "3180")
        expect(app(login = login, file = file).resume(), CheckoutState.Idle)
    }
    case("shop.py: an app that has missed the end learns it") {
        val login = UUID.randomUUID().toString()
        val behind = record()
        val launch = app(login = login, file = behind).begin(items, "one")
        val ahead = record()
        behind.copyTo(ahead)
        val receipt = demo.pay(app(login = login, file = ahead), launch)
        expect(app(login = login, file = behind).resume(), CheckoutState.Paid(receipt))
    }
    case("shop.py: a link is of no use to another login, and the buyer's own buys") {
        val checkout = app()
        val launch = checkout.begin(items, "one")
        val buyer = demo.buyer()
        val back = buyer.shop(launch)
        for (hasCheckout in listOf(false, true)) {
            val login = UUID.randomUUID().toString()
            if (hasCheckout) app(login = login).begin(items, "one")
            // The thief's app believes that the ticket is its own.
            val thief = app(login = login)
            thief.open(launch.ticket)
            expect(thief.receive(back), CheckoutState.Ended(CheckoutEnd.REFUSED))
        }
        demo.pay(checkout, launch, buyer, back)
    }
    case("shop.py: one key is one session, and never another order") {
        val checkout = app()
        val launch = checkout.begin(items, "one")
        expect(checkout.begin(items, "one"), launch)
        val mismatch = "the shop answers 422: this Idempotency-Key was used for another order"
        expect(try { checkout.begin(mapOf("tea" to 3), "one").toString() } catch (error: CheckoutException) { "${error.message}, ${error.isFinal}" }, "$mismatch, true")
        expect(checkout.state.toString(), "Failed($mismatch)")
    }
}
