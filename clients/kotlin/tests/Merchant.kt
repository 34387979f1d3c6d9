package sallyport.client.tests

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import sallyport.client.Checkout
import sallyport.client.CheckoutEnd
import sallyport.client.CheckoutException
import sallyport.client.CheckoutListener
import sallyport.client.CheckoutState
import sallyport.client.Completion
import sallyport.client.ConfigurationException
import sallyport.client.FileCheckoutStore
import sallyport.client.HttpMerchantServer
import sallyport.client.HttpUrlConnectionTransport
import sallyport.client.Receipt
import java.io.Closeable
import java.io.File
import java.io.IOException
import java.net.InetSocketAddress
import java.nio.file.Files
import java.util.concurrent.Executors

/** A shop's server over real sockets, which answers as it is told, and remembers what it was asked. */
internal class Shop : Closeable {
    val seen: MutableList<String> = java.util.Collections.synchronizedList(ArrayList<String>())

    /** Status, Retry-After, content; the last one stays. Status 0 breaks the connection off. */
    val answers = ArrayList<Triple<Int, String?, String>>()
    private val threads = Executors.newCachedThreadPool()
    private val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)
    val url: String get() = "http://127.0.0.1:${server.address.port}/shop"

    init {
        server.executor = threads
        server.createContext("/") { answer(it) }
        server.start()
    }

    private fun answer(exchange: HttpExchange) {
        val body = String(exchange.requestBody.readBytes())
        val headers = exchange.requestHeaders
        seen.add("${exchange.requestMethod} ${exchange.requestURI} ${headers.getFirst("Authorization")} ${headers.getFirst("Idempotency-Key")} $body")
        val (status, retryAfter, content) = synchronized(answers) { if (answers.size > 1) answers.removeAt(0) else answers[0] }
        if (status != 0) {
            if (retryAfter != null) exchange.responseHeaders.set("Retry-After", retryAfter)
            if (status in 300..399) exchange.responseHeaders.set("Location", "/elsewhere")
            val bytes = content.toByteArray()
            exchange.sendResponseHeaders(status, if (bytes.isEmpty()) -1 else bytes.size.toLong())
            exchange.responseBody.use { it.write(bytes) }
        }
        exchange.close()
    }

    override fun close() {
        server.stop(0)
        threads.shutdownNow()
    }
}

private val began = Triple(201, null as String?, """{"reference":"7","launchUrl":"https://pay.example.com/button?secureWebviewSessionId=$old"}""")
private const val done = """{"state":"paid","reference":"7","total":"3180"}"""
private val receipt = CheckoutState.Paid(Receipt("7", "3180"))

private class App(shop: Shop, file: File = File(Files.createTempDirectory("sallyport-kotlin").toFile(), "record")) {
    val file = file
    val pauses = ArrayList<Double>()
    val server = HttpMerchantServer(shop.url, HttpUrlConnectionTransport()) { "LOGIN-0123456789abcdef" }
    val checkout = Checkout(configuration, Completion.Server(server), FileCheckoutStore(file), System::currentTimeMillis) { pauses.add(it) }
}

private fun shop(name: String, vararg answers: Triple<Int, String?, String>, body: (Shop) -> Unit) = case("shop: $name") {
    Shop().use {
        it.answers.addAll(answers)
        body(it)
    }
}

private fun said(status: Int, content: String, retryAfter: String? = null) = Triple(status, retryAfter, content)

/** Contract (b), with a shop's server that speaks the table of `examples/server`. */
internal fun merchant() {
    val own = front + query()
    shop("a whole purchase, with what goes over the wire", began, said(200, done)) { shop ->
        val app = App(shop)
        expect(app.checkout.begin(mapOf("tea" to 2), "key-1").ticket.text, old)
        expect(app.checkout.receive(own), receipt)
        expect(shop.seen.toList(), listOf(
            """POST /shop/checkouts Bearer LOGIN-0123456789abcdef key-1 {"client":"androidApp","items":{"tea":2}}""",
            """POST /shop/checkouts/return Bearer LOGIN-0123456789abcdef null {"returnTicket":"$fresh","orderReferenceId":"S03-1"}"""
        ))
    }
    for ((order, sent) in listOf("""{"items":{"tea":2},"coupon":"SPRING","at":[1.10,null,true]}""" to """{"client":"androidApp","items":{"tea":2},"coupon":"SPRING","at":[1.10,null,true]}""",
        " {}" to """{"client":"androidApp"}"""))
        shop("an order of the app's own goes over the wire as it is written: $order", began) { shop ->
            App(shop).checkout.begin(order, "key-1")
            expect(shop.seen.toList(), listOf("POST /shop/checkouts Bearer LOGIN-0123456789abcdef key-1 $sent"))
        }
    for (order in listOf("", "x", "[]", "{", "{} {}", """{"client":"site"}""")) shop("no order, and nothing is sent: '$order'", began) { shop ->
        val checkout = App(shop).checkout
        val error = try { checkout.begin(order, "key-1"); null } catch (error: CheckoutException) { error }
        expect(error?.message, "an order is an object of JSON without a member `client`")
        expect(checkout.state, CheckoutState.Failed(error!!))
        expect(shop.seen.isEmpty(), true)
    }
    shop("pending with Retry-After: the same body again", began, said(202, """{"state":"pending"}""", "3"),
        said(503, """{"state":"pending"}""", "soon"), said(200, done)) { shop ->
        val app = App(shop)
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        expect(app.checkout.receive(own), receipt)
        expect(app.pauses.toList(), listOf(3.0, 1.0))
        expect(shop.seen.drop(1).toSet().size, 1)
        expect(shop.seen.size, 4)
    }
    shop("a lost answer: sent once, and resume sends the same body", began, said(0, ""), said(200, done)) { shop ->
        val app = App(shop)
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        expect((app.checkout.receive(own) as? CheckoutState.Failed)?.error is IOException, true)
        expect(shop.seen.size, 2)
        val after = App(shop, app.file)
        val second = try { after.checkout.begin(mapOf("tea" to 2), "key-2").toString() } catch (error: CheckoutException) { error.message }
        expect(second, "a payment is under way; resume() tells how it ends")
        expect(after.checkout.resume(), receipt)
        expect(shop.seen[1], shop.seen[2])
    }
    shop("a lost answer of begin: tried again under the same key", said(0, ""), began) { shop ->
        val app = App(shop)
        val lost = try { app.checkout.begin(mapOf("tea" to 2), "key-1"); null } catch (error: IOException) { error }
        expect(app.checkout.state, CheckoutState.Failed(lost!!))
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        expect(shop.seen[0], shop.seen[1])
    }
    shop("death in the tab: resume asks the shop, which still waits", began, said(200, """{"state":"open"}"""), said(200, done)) { shop ->
        val app = App(shop)
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        val after = App(shop, app.file)
        val seen = ArrayList<CheckoutState>()
        after.checkout.add(object : CheckoutListener {
            override fun onState(state: CheckoutState) {
                seen.add(state)
            }
        })
        expect(after.checkout.resume(), CheckoutState.InTab)
        expect(seen, listOf(CheckoutState.Idle, CheckoutState.InTab))
        expect(shop.seen[1], "GET /shop/checkouts/d35db7e3-9ebb-f3d6-9b71-d79f8218a390 Bearer LOGIN-0123456789abcdef null ")
        expect(after.checkout.receive(own), receipt)
    }
    shop("death in the tab: the shop does not know yet, then still waits", began, said(200, """{"state":"pending"}"""), said(200, """{"state":"open"}""")) { shop ->
        val app = App(shop)
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        expect(App(shop, app.file).checkout.resume(), CheckoutState.InTab)
    }
    shop("death in the tab, and resumed too late: the shop is asked all the same", began, said(200, done)) { shop ->
        val app = App(shop)
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        val later = { System.currentTimeMillis() + 7300000 }
        expect(Checkout(configuration, Completion.Server(app.server), FileCheckoutStore(app.file), later).resume(), receipt)
    }
    shop("death in the tab: the shop knows that it is paid", began, said(200, done)) { shop ->
        val app = App(shop)
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        expect(App(shop, app.file).checkout.resume(), receipt)
    }
    shop("strict: the tab once more, then paid", began,
        said(202, """{"state":"continue","launchUrl":"https://pay.example.com/button?secureWebviewSessionId=swa_${"z".repeat(64)}"}"""), said(200, done)) { shop ->
        val app = App(shop)
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        expect(app.checkout.receive(own).javaClass.simpleName, "Opening")
        expect(refusal { app.checkout.receive(own) }, "OTHER_CHECKOUT")
        expect(app.checkout.receive(front + query(a = "swa_" + "z".repeat(64), c = "swc_" + "z".repeat(64))), receipt)
    }
    shop("declined, then another link", began, said(402, """{"state":"declined"}"""), said(200, done)) { shop ->
        val app = App(shop)
        app.checkout.begin(mapOf("tea" to 2), "key-1")
        expect(app.checkout.receive(own), CheckoutState.Declined)
        expect(app.checkout.receive(front + query(c = fresh.dropLast(1) + "m")), receipt)
    }
    for ((status, state, end) in listOf(Triple(403, "refused", CheckoutEnd.REFUSED), Triple(410, "over", CheckoutEnd.OVER)))
        shop("$status is $state", began, said(status, """{"state":"$state"}""")) { shop ->
            val app = App(shop)
            app.checkout.begin(mapOf("tea" to 2), "key-1")
            expect(app.checkout.receive(own), CheckoutState.Ended(end))
        }
    for (status in listOf(200, 202, 204))
        shop("$status is no answer to a begin", said(status, if (status == 204) "" else """{"launchUrl":"https://pay.example.com/"}""")) { shop ->
            val error = try { App(shop).checkout.begin(mapOf("tea" to 2), "k"); null } catch (error: CheckoutException) { error }
            expect(error?.status, status)
        }
    for ((status, isFinal) in listOf(400 to true, 401 to false, 408 to false, 409 to true, 422 to true, 429 to false, 499 to true, 500 to false))
        shop("$status for a begin is final: $isFinal", said(status, "{}")) { shop ->
            val checkout = App(shop).checkout
            val error = try { checkout.begin(mapOf("tea" to 2), "k"); null } catch (error: CheckoutException) { error }
            expect(error?.isFinal, isFinal)
            expect(error?.status, status)
            expect(checkout.state.javaClass.simpleName, "Failed")
            expect(error?.mayBePaid, status in listOf(409, 422))
            expect(checkout.resume().javaClass.simpleName, if (isFinal && status !in listOf(409, 422)) "Idle" else "Failed")
            checkout.cancel()
            expect(checkout.state, CheckoutState.Idle)
            expect(checkout.resume(), CheckoutState.Idle)
        }
    for ((name, answer) in listOf("503" to said(503, """{"state":"unavailable"}""", "5"), "a redirect" to said(302, ""), "no JSON" to said(200, "paid"),
        "a list" to said(200, "[1]"), "state as a number" to said(200, """{"state":1}"""), "state twice" to said(200, """{"state":"paid","state":"over"}"""),
        "more than a megabyte" to said(200, " ".repeat(1100000))))
        shop("$name as an answer: failed, and nothing is lost", began, answer, said(200, done)) { shop ->
            val app = App(shop)
            app.checkout.begin(mapOf("tea" to 2), "key-1")
            expect(app.checkout.receive(own).javaClass.simpleName, "Failed")
            expect(shop.seen.none { "elsewhere" in it }, true)
            expect(app.checkout.resume(), receipt)
        }
    shop("a launch address of somebody else: no tab", said(201, """{"launchUrl":"https://evil.test/button?secureWebviewSessionId=$old"}""")) { shop ->
        val app = App(shop)
        val error = try { app.checkout.begin(mapOf("tea" to 2), "k").toString() } catch (error: CheckoutException) { error.message }
        expect(error, "the address for the tab is not one of this shop's")
    }
    for (bad in listOf("http://shop.example.com", "ftp://localhost", "https://u@shop.example.com", "http://localhost.evil.test", "")) case("shop: refuses the base '$bad'") {
        expect(try { HttpMerchantServer(bad, HttpUrlConnectionTransport()) { "" }.toString() } catch (error: ConfigurationException) { "refused" }, "refused")
    }
}
