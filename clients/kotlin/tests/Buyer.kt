package sallyport.client.tests

import sallyport.client.Launch
import java.io.File
import java.net.HttpURLConnection
import java.net.URL
import java.net.URLEncoder
import java.security.KeyStore
import java.security.cert.CertificateFactory
import javax.net.ssl.HttpsURLConnection
import javax.net.ssl.SSLContext
import javax.net.ssl.SSLSocketFactory
import javax.net.ssl.TrustManagerFactory

/** A buyer with a tab, and the simulator's autopilot: what `scripts/play-tab` does with curl. */
internal class Buyer(private val simulator: String, private val trust: SSLSocketFactory) {
    private class Page(val url: URL, val text: String)

    private val cookies = HashMap<String, String>()

    /** From the launch to the link that opens the app: taps, signs in, chooses and agrees, as far as the pages ask for it. */
    fun shop(launch: Launch): String {
        load(URL("$simulator/_sim/next-buyer"), """{"email":"tokyo@example.test","answers":["consent"]}""")
        var page = load(URL(launch.url))
        for (step in 1..4) {
            val link = Regex("id=\"purchase_link\"[^>]*href=\"([^\"]*)\"").find(page.text)
            if (link != null) return plain(link.groupValues[1])
            page = submit(page)
        }
        throw AssertionError("no link, but ${page.url.path}")
    }

    private fun submit(page: Page): Page {
        val form = Regex("<form id=\"(?:open|start|confirm)_form\"[^>]*action=\"([^\"]*)\".*?</form>", RegexOption.DOT_MATCHES_ALL).find(page.text)
            ?: throw AssertionError("no form: ${page.url.path}")
        val fields = Regex("name=\"([^\"]*)\" value=\"([^\"]*)\"").findAll(form.value)
        val content = fields.joinToString("&") { it.groupValues[1] + "=" + URLEncoder.encode(plain(it.groupValues[2]), "UTF-8") }
        return load(URL(page.url, plain(form.groupValues[1])), content, page.url)
    }

    private fun plain(text: String) =
        text.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")

    private fun load(first: URL, content: String? = null, from: URL? = null): Page {
        var url = first
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
                if (from != null) connection.setRequestProperty("Origin", "${from.protocol}://${from.authority}")
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
            if (status >= 400) throw AssertionError("${url.path} answers $status")
            return Page(url, connection.inputStream.use { String(it.readBytes()) })
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
