package sallyport.client

/**
 * Which kind of app asks; it names the page and the bridge, and the server binds a session to it.
 *
 * @property text its name at the server.
 */
enum class ClientKind(val text: String) {
    /** An app on iOS, whose tab is an SFSafariViewController. */
    IOS_APP("iosApp"),

    /** An app on Android, whose tab is a Custom Tab. */
    ANDROID_APP("androidApp")
}

/**
 * Where the shop's servers are, as an app has them built in.
 *
 * @param webOrigin `https://pay.example.com`: scheme, host and possibly port, without a path.
 * @param linkOrigin `https://pay-links.example.com`, which opens the app; another host than that of the pages.
 * @property client the kind of this app.
 * @property returnDeadline how long after its start a checkout takes a return link, in seconds; the server has a bound of its own.
 * @throws ConfigurationException where that cannot be used.
 */
class CheckoutConfiguration @JvmOverloads constructor(
    webOrigin: String,
    linkOrigin: String,
    val client: ClientKind = ClientKind.ANDROID_APP,
    val returnDeadline: Long = 7200
) {
    private val web = Origin.parse(webOrigin) ?: throw ConfigurationException("not an origin: $webOrigin")
    internal val link = Origin.parse(linkOrigin) ?: throw ConfigurationException("not an origin: $linkOrigin")

    init {
        if (web.host == link.host) throw ConfigurationException("a link on the page's own host never opens the app: ${web.host}")
        if (returnDeadline <= 0) throw ConfigurationException("a deadline that is over at once")
    }

    /** The host of the pages. */
    val webOrigin: String get() = web.text

    /** The host of the return links. */
    val linkOrigin: String get() = link.text

    /** The cart page for the app's web view. */
    val cartUrl: String get() = "$webOrigin/${client.text}/cart"

    /** The address that the secure tab opens, once: a secret until it was opened. */
    fun launchUrl(ticket: LaunchTicket): String = webOrigin + "/button?secureWebviewSessionId=" + ticket.text
}

/** What is wrong with a configuration. */
class ConfigurationException(message: String) : IllegalArgumentException(message)

/** Scheme https, host in small letters, port; 443 where none is written. */
internal class Origin private constructor(val text: String, val host: String, val port: Int) {
    companion object {
        private val form = Regex("https://([a-z0-9._-]+|\\[[0-9a-f:.]+])(?::([1-9][0-9]{0,4}))?/?")

        fun parse(text: String): Origin? {
            // Small letters of ASCII alone: a phone in Turkish has others.
            val parts = form.matchEntire(Token.small(text)) ?: return null
            val host = parts.groupValues[1]
            val written = parts.groupValues[2]
            val port = if (written == "") 443 else written.toInt()
            if (port > 65535) return null
            return Origin("https://" + host + if (written == "") "" else ":$port", host, port)
        }
    }
}
