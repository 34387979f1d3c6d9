package sallyport.client

import java.io.ByteArrayOutputStream
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.URL
import javax.net.ssl.HttpsURLConnection
import javax.net.ssl.SSLSocketFactory

/**
 * A request of the client; paths and hosts are its own, never those of a link.
 *
 * @property method `GET`, `POST` or `PUT`.
 * @property url with scheme and host.
 * @property fields names and values.
 * @property body empty for a GET.
 */
class TransportRequest internal constructor(
    val method: String,
    val url: String,
    val fields: List<Pair<String, String>>,
    val body: ByteArray = ByteArray(0)
) {
    /** Without what is secret. */
    override fun toString(): String = "a request, $method"
}

/**
 * What came back.
 *
 * @property status the status.
 * @property retryAfter what `Retry-After` asks for, in seconds.
 * @property cookies cookies that were set, by name.
 * @property body the content.
 */
class TransportResponse @JvmOverloads constructor(
    val status: Int,
    val retryAfter: Double? = null,
    val cookies: Map<String, String> = emptyMap(),
    val body: ByteArray
) {
    private val members by lazy { Json.members(String(body, Charsets.UTF_8)) }

    internal fun member(name: String): String? = members?.get(name) as? String

    /** Without what is secret. */
    override fun toString(): String = "a response, $status"
}

/** One request, one response, over TLS; no redirect is followed, no cookie kept. */
interface Transport {
    /**
     * Sends a request and waits for the response.
     *
     * @throws Exception where there is none; it is then unknown whether the request was carried out.
     */
    fun send(request: TransportRequest): TransportResponse
}

/**
 * The transport of apps. An app must not set a `CookieHandler` for all of its connections: it would see the cookies of this one, too.
 *
 * @param sslSocketFactory whom it trusts; without one, whom the system trusts.
 * @param timeout for the connection, and for each wait for the server, in milliseconds.
 */
class HttpUrlConnectionTransport @JvmOverloads constructor(
    private val sslSocketFactory: SSLSocketFactory? = null,
    private val timeout: Int = 45000
) : Transport {
    override fun send(request: TransportRequest): TransportResponse {
        val connection = URL(request.url).openConnection() as HttpURLConnection
        try {
            if (sslSocketFactory != null && connection is HttpsURLConnection) connection.sslSocketFactory = sslSocketFactory
            connection.instanceFollowRedirects = false
            connection.useCaches = false
            connection.connectTimeout = timeout
            connection.readTimeout = timeout
            connection.requestMethod = request.method
            for ((name, value) in request.fields) connection.setRequestProperty(name, value)
            if (request.method != "GET") {
                connection.doOutput = true
                // With a length known before, Java does not send a lost request again by itself.
                connection.setFixedLengthStreamingMode(request.body.size)
                connection.outputStream.use { it.write(request.body) }
            }
            val status = connection.responseCode
            val stream = if (status < 400) connection.inputStream else connection.errorStream
            return TransportResponse(
                status,
                connection.getHeaderField("Retry-After")?.trim()?.toLongOrNull()?.toDouble(),
                cookies(connection.headerFields),
                stream?.use(::content) ?: ByteArray(0)
            )
        } finally {
            connection.disconnect()
        }
    }

    private fun cookies(fields: Map<String?, List<String>>): Map<String, String> {
        val result = LinkedHashMap<String, String>()
        for ((name, values) in fields) {
            if (name == null || Token.small(name) != "set-cookie") continue
            for (value in values) {
                val pair = value.substringBefore(';')
                if ('=' in pair) result[pair.substringBefore('=').trim()] = pair.substringAfter('=').trim()
            }
        }
        return result
    }

    private fun content(stream: InputStream): ByteArray {
        val result = ByteArrayOutputStream()
        val buffer = ByteArray(8192)
        while (true) {
            val count = stream.read(buffer)
            if (count < 0) return result.toByteArray()
            result.write(buffer, 0, count)
            if (result.size() > most) throw CheckoutException("a response of more than $most bytes")
        }
    }

    private companion object {
        const val most = 1 shl 20
    }
}
