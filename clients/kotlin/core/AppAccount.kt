package sallyport.client

/**
 * The account of an app's user at the server: asks what is below `/app/v1`, with a token of the account.
 *
 * The shop's own server gets such tokens (`POST /v1/accounts/{id}/tokens`) and gives them to the app. One object is for one account: for a
 * user who signs in as somebody else there is another one. Calls wait for the network.
 *
 * @param base scheme https, host, and possibly a path; http is taken for this very machine only.
 * @param transport how it is reached.
 * @param token a token of the account, from the shop's server; asked for at first, and again once one is refused.
 * @throws ConfigurationException where the base cannot be used.
 */
class AppAccount @JvmOverloads constructor(
    base: String,
    private val transport: Transport = HttpUrlConnectionTransport(),
    private val token: () -> String
) {
    private val base = HttpMerchantServer.address(base)
    private val lock = Any()
    private var shown: String? = null

    /**
     * Asks for something; once more with a new token where the token is refused.
     *
     * @param method `GET`, `POST` or `PUT`.
     * @param path behind `/app/v1/`, with the query.
     * @param body JSON; empty for none.
     * @param key `Idempotency-Key`, where the call has one: the same again after an error.
     * @return the answer, whatever its status.
     * @throws Exception what the transport or the question for a token throws.
     */
    @JvmOverloads
    fun send(method: String, path: String, body: String = "", key: String? = null): TransportResponse {
        val first = current(null)
        val response = ask(method, path, body, key, first)
        return if (response.status == 401) ask(method, path, body, key, current(first)) else response
    }

    private fun ask(method: String, path: String, body: String, key: String?, token: String): TransportResponse {
        val fields = arrayListOf("Authorization" to "Bearer $token", "Accept" to "application/json")
        if (body.isNotEmpty()) fields.add("Content-Type" to "application/json")
        if (key != null) fields.add("Idempotency-Key" to key)
        return transport.send(TransportRequest(method, "$base/app/v1/${path.trimStart('/')}", fields, body.toByteArray()))
    }

    /** A token that is not the one that was refused; all wait for a new one together. */
    private fun current(refused: String?): String = synchronized(lock) {
        val known = shown
        if (known != null && known != refused) known else token().also { shown = it }
    }
}
