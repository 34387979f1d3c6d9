package sallyport.client.tests

import sallyport.client.Checkout
import sallyport.client.CheckoutConfiguration
import sallyport.client.CheckoutState
import sallyport.client.ClientKind
import sallyport.client.Completion
import sallyport.client.FileCheckoutStore
import sallyport.client.HTTPCartPage
import sallyport.client.HttpURLConnectionTransport
import sallyport.client.Launch
import sallyport.client.MemoryCheckoutStore
import java.io.File
import java.net.HttpURLConnection
import java.net.URL
import java.net.URLEncoder
import java.nio.file.Files
import java.security.KeyStore
import java.security.cert.CertificateFactory
import javax.net.ssl.HttpsURLConnection
import javax.net.ssl.SSLContext
import javax.net.ssl.SSLSocketFactory
import javax.net.ssl.TrustManagerFactory

/** A buyer with a tab, and the simulator's autopilot: what `scripts/walkthrough` does with curl. */
internal class Buyer(private val web: String, private val simulator: String, private val trust: SSLSocketFactory) {
    private val cookies = HashMap<String, String>()

    /** From the launch to the link that opens the app. */
    fun shop(launch: Launch): String {
        load("$simulator/_sim/next-buyer", """{"email":"tokyo@example.test","answers":["consent"]}""")
        val button = load(launch.url)
        val names = "merchantId publicKeyId ledgerCurrency checkoutLanguage productType placement payloadJSON signature algorithm".split(" ")
        val order = load("$simulator/checkout/start", form(names.map { it to field(button, it) }))
        val done = load("$web/confirm_order", form(listOf("secureWebviewSessionId", "totalPrice").map { it to field(order, it) }))
        return Regex("id=\"purchase_link\"[^>]*href=\"([^\"]*)\"").find(done)!!.groupValues[1].replace("&amp;", "&")
    }

    private fun form(fields: List<Pair<String, String>>) = fields.joinToString("&") { it.first + "=" + URLEncoder.encode(it.second, "UTF-8") }

    private fun field(page: String, name: String): String {
        val value = Regex("name=\"$name\" value=\"([^\"]*)\"").find(page)?.groupValues?.get(1) ?: throw AssertionError("no field $name")
        return value.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    }

    private fun load(first: String, content: String? = null): String {
        var url = URL(first)
        var body = content
        for (hop in 1..10) {
            val connection = url.openConnection() as HttpURLConnection
            (connection as? HttpsURLConnection)?.sslSocketFactory = trust
            connection.instanceFollowRedirects = false
            val jar = cookies.filter { it.key.startsWith("${url.port} ") }.map { it.key.substringAfter(' ') + "=" + it.value }
            if (jar.isNotEmpty()) connection.setRequestProperty("Cookie", jar.joinToString("; "))
            connection.setRequestProperty("Accept-Language", "en")
            body?.let { sent ->
                connection.doOutput = true
                connection.setRequestProperty("Origin", if (first.startsWith(web)) web else simulator)
                connection.outputStream.use { it.write(sent.toByteArray()) }
            }
            val status = connection.responseCode
            for (value in connection.headerFields["Set-Cookie"].orEmpty()) {
                cookies["${url.port} " + value.substringBefore('=')] = value.substringAfter('=').substringBefore(';')
            }
            if (status in 301..308) {
                url = URL(url, connection.getHeaderField("Location"))
                body = null
                continue
            }
            if (status >= 400) throw AssertionError("$url answers $status")
            return connection.inputStream.use { String(it.readBytes()) }
        }
        throw AssertionError("too many redirects")
    }
}

/** Whom a test trusts: one authority. */
internal fun trust(authority: File): SSLSocketFactory {
    val store = KeyStore.getInstance(KeyStore.getDefaultType())
    store.load(null)
    authority.inputStream().use { store.setCertificateEntry("demo", CertificateFactory.getInstance("X.509").generateCertificate(it)) }
    val managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm())
    managers.init(store)
    return SSLContext.getInstance("TLS").also { it.init(null, managers.trustManagers, null) }.socketFactory
}

/** Whole purchases against a running demo. */
internal fun demo(web: String, link: String, simulator: String, authority: File) {
    val trust = trust(authority)
    val transport = HttpURLConnectionTransport(trust)
    for (kind in ClientKind.values()) case("demo: a whole purchase by the cart page, ${kind.name}") {
        val configuration = CheckoutConfiguration(web, link, kind)
        val page = HTTPCartPage(configuration, transport)
        val checkout = Checkout(configuration, Completion.Page(page), MemoryCheckoutStore())
        val launch = checkout.open(page.begin(mapOf("hd8" to 1, "hd10" to 1)))
        val back = Buyer(web, simulator, trust).shop(launch)
        expect((checkout.receive(back) as? CheckoutState.Paid)?.receipt?.reference != null, true)
        expect(refusal { checkout.receive(back) }, "REPLAYED")
    }
    case("demo: the app dies in the tab, and the new one completes the purchase") {
        val configuration = CheckoutConfiguration(web, link, ClientKind.androidApp)
        val page = HTTPCartPage(configuration, transport)
        val file = File(Files.createTempDirectory("sallyport-kotlin").toFile(), "record")
        val launch = Checkout(configuration, Completion.Page(page), FileCheckoutStore(file)).open(page.begin(mapOf("hd8" to 1, "hd10" to 1)))
        val back = Buyer(web, simulator, trust).shop(launch)
        val after = Checkout(configuration, Completion.Page(HTTPCartPage(configuration, transport, page.memory)), FileCheckoutStore(file))
        expect(after.receive(back) is CheckoutState.Paid, true)
    }
    case("demo: a link that another app has stolen is of no use without the verifier and the cookie") {
        val configuration = CheckoutConfiguration(web, link, ClientKind.androidApp)
        val page = HTTPCartPage(configuration, transport)
        val checkout = Checkout(configuration, Completion.Page(page), MemoryCheckoutStore())
        val launch = checkout.open(page.begin(mapOf("hd8" to 1, "hd10" to 1)))
        val back = Buyer(web, simulator, trust).shop(launch)
        val thief = Checkout(configuration, Completion.Page(HTTPCartPage(configuration, transport)), MemoryCheckoutStore())
        thief.open(launch.ticket)
        expect(thief.receive(back) is CheckoutState.Paid, false)
        expect(checkout.receive(back) is CheckoutState.Paid, true)
    }
    case("demo: the authority of somebody else is not trusted") {
        val configuration = CheckoutConfiguration(web, link, ClientKind.androidApp)
        val page = HTTPCartPage(configuration, HttpURLConnectionTransport())
        expect(try { page.begin(mapOf("hd8" to 1, "hd10" to 1)).toString() } catch (error: javax.net.ssl.SSLException) { "refused" }, "refused")
    }
}
