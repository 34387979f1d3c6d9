package sallyport.client

import java.net.URLEncoder
import java.security.MessageDigest
import java.security.SecureRandom
import java.util.Base64

/**
 * The calls that the cart page makes, without a web view: for tests and for programs of the command line.
 *
 * @param configuration where the shop is.
 * @param transport how it is reached.
 * @param memory what an earlier page has kept.
 */
class HttpCartPage @JvmOverloads constructor(
    private val configuration: CheckoutConfiguration,
    private val transport: Transport = HttpUrlConnectionTransport(),
    memory: Memory = Memory()
) : CartPage {
    /** What a page keeps while the buyer is away: its cookies, ticket and verifier. All of it is secret. */
    class Memory internal constructor(
        internal val cookies: Map<String, String>,
        internal val ticket: String?,
        internal val verifier: String?
    ) {
        /** Nothing yet. */
        constructor() : this(emptyMap(), null, null)

        /** For a file: all of it, with its secrets. */
        fun serialize(): String {
            val members = linkedMapOf<String, Any>("cookies" to cookies)
            ticket?.let { members["ticket"] = it }
            verifier?.let { members["verifier"] = it }
            return Json.text(members)
        }

        /** Without what is secret. */
        override fun toString(): String = "the memory of a page"

        companion object {
            /**
             * What [serialize] has written.
             *
             * @throws CheckoutException where it is something else.
             */
            @JvmStatic
            fun parse(text: String): Memory {
                val members = Json.members(text) ?: throw CheckoutException(damaged)
                val cookies = (members["cookies"] as? Map<*, *> ?: throw CheckoutException(damaged)).entries.associate {
                    it.key as String to (it.value as? String ?: throw CheckoutException(damaged))
                }
                fun member(name: String) = members[name]?.let { it as? String ?: throw CheckoutException(damaged) }
                val ticket = member("ticket")
                if (ticket != null && LaunchTicket.parse(ticket) == null) throw CheckoutException(damaged)
                return Memory(cookies, ticket, member("verifier"))
            }

            private const val damaged = "the memory of the page is damaged"
        }
    }

    /** What is to be kept. */
    @Volatile
    var memory: Memory = memory
        private set

    /**
     * Loads the page and asks for a launch ticket, as its button does.
     *
     * @param quantities by the names of the page's fields, `hd8` and `hd10` in the sample shop.
     * @return the ticket for the tab.
     * @throws CheckoutException or what the transport throws.
     */
    @Synchronized
    fun begin(quantities: Map<String, Int>): LaunchTicket {
        val page = send("GET", "/${configuration.client.text}/cart", emptyMap())
        if (page.status != 200) throw CheckoutException("the cart answers ${page.status}", page.retryAfter)
        val verifier = base64Url(ByteArray(32).also { SecureRandom().nextBytes(it) })
        val fields = HashMap<String, String>()
        for ((name, quantity) in quantities) fields[name] = quantity.toString()
        fields["client"] = configuration.client.text
        // RFC 7636: a stolen return is of no use to who does not have the verifier.
        fields["code_challenge"] = base64Url(MessageDigest.getInstance("SHA-256").digest(verifier.toByteArray()))
        fields["code_challenge_method"] = "S256"
        val response = send("POST", "/secureWebviewSession", fields)
        val ticket = response.member("secureWebviewSessionId")?.let { LaunchTicket.parse(it) }
        if (response.status != 200 || ticket == null) {
            throw CheckoutException("no ticket: ${response.member("error") ?: response.status.toString()}", response.retryAfter)
        }
        memory = Memory(memory.cookies, ticket.text, verifier)
        return ticket
    }

    @Synchronized
    override fun purchase(link: ReturnLink): Redemption {
        val fields = hashMapOf(
            "secureWebviewSessionId" to link.returnTicket,
            "accessToken" to link.accessToken,
            "orderReferenceId" to link.orderReferenceId
        )
        memory.ticket?.let { fields["old_secureWebviewSessionId"] = it }
        memory.verifier?.let { fields["code_verifier"] = it }
        val response = send("POST", "/purchase", fields)
        val error = response.member("error")
        if (response.status == 200) return Redemption.Paid(Receipt(response.member("orderId"), null))
        if (response.status == 202) {
            val ticket = response.member("secureWebviewSessionId")?.let { LaunchTicket.parse(it) } ?: throw unexpected(response)
            memory = Memory(memory.cookies, ticket.text, memory.verifier)
            return Redemption.Again(configuration.launchUrl(ticket))
        }
        if (error == "not_ready" || error == "purchase_in_progress") return Redemption.Pending(response.retryAfter ?: 1.0)
        return when (response.status) {
            429, 503 -> Redemption.Pending(response.retryAfter ?: 1.0)
            402 -> Redemption.Declined
            403 -> Redemption.Ended(CheckoutEnd.REFUSED)
            404, 410 -> Redemption.Ended(CheckoutEnd.OVER)
            409, 422 -> Redemption.Ended(CheckoutEnd.CHANGED)
            else -> throw unexpected(response)
        }
    }

    private fun unexpected(response: TransportResponse) = CheckoutException("the purchase answers ${response.status}", response.retryAfter)

    private fun send(method: String, path: String, form: Map<String, String>): TransportResponse {
        val fields = arrayListOf("Accept" to if (method == "GET") "text/html" else "application/json")
        val cookies = memory.cookies
        if (cookies.isNotEmpty()) fields += "Cookie" to cookies.entries.joinToString("; ") { it.key + "=" + it.value }
        if (method == "POST") fields += "Content-Type" to "application/x-www-form-urlencoded"
        val content = form.entries.joinToString("&") { encoded(it.key) + "=" + encoded(it.value) }
        val response = transport.send(TransportRequest(method, configuration.webOrigin + path, fields, content.toByteArray()))
        memory = Memory(cookies + response.cookies, memory.ticket, memory.verifier)
        return response
    }

    private fun encoded(text: String): String = URLEncoder.encode(text, "UTF-8")

    private fun base64Url(bytes: ByteArray): String = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)
}
