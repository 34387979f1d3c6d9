package sallyport.client.tests

import sallyport.client.AppAccount
import sallyport.client.ConfigurationException
import sallyport.client.TransportResponse
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread

private val refused = Triple(401, null as String?, """{"code":"unauthenticated"}""")
private val balance = Triple(200, null as String?, """{"units":7}""")

private fun text(response: TransportResponse) = "${response.status} ${String(response.body)}"

/** The account of an app's user, over real sockets. */
internal fun accounts() {
    case("an account shows its token, and asks for another one where that is refused") {
        Shop().use { shop ->
            shop.answers.addAll(listOf(balance, refused, balance))
            val count = AtomicInteger()
            val account = AppAccount(shop.url) { "sat_${count.incrementAndGet()}" }
            expect(text(account.send("GET", "app-store/balance?environment=Sandbox")), """200 {"units":7}""")
            expect(text(account.send("POST", "app-store/spend", """{"units":1}""", "key-1")), """200 {"units":7}""")
            val place = "/shop/app/v1/app-store"
            expect(
                shop.seen.toList(),
                listOf(
                    "GET $place/balance?environment=Sandbox Bearer sat_1 null ",
                    """POST $place/spend Bearer sat_1 key-1 {"units":1}""",
                    """POST $place/spend Bearer sat_2 key-1 {"units":1}"""
                )
            )
        }
    }
    case("an account that is refused twice says so") {
        Shop().use { shop ->
            shop.answers.add(refused)
            expect(AppAccount(shop.url) { "sat_1" }.send("GET", "app-store/balance").status, 401)
            expect(shop.seen.size, 2)
        }
    }
    case("many calls of an account wait for one new token together") {
        val count = AtomicInteger()
        val all = CountDownLatch(8)
        val account = AppAccount("https://shop.example.com", Answers { token ->
            // Each has been refused once before any is answered.
            if (token == "sat_1") {
                all.countDown()
                all.await()
                TransportResponse(401, body = ByteArray(0))
            } else TransportResponse(200, body = ByteArray(0))
        }) { "sat_${count.incrementAndGet()}" }
        val threads = List(8) { thread { account.send("GET", "app-store/balance") } }
        threads.forEach { it.join() }
        expect(count.get(), 2)
    }
    case("an account has a server that is reached over TLS") {
        for (base in listOf("http://shop.example.com", "https://", "https://a b", "ftp://shop.example.com")) {
            try {
                AppAccount(base) { "" }
                throw AssertionError("taken: $base")
            } catch (error: ConfigurationException) {
                // As it should be.
            }
        }
    }
}

/** A server that answers by the token that it is shown. */
private class Answers(private val answer: (String) -> TransportResponse) : sallyport.client.Transport {
    override fun send(request: sallyport.client.TransportRequest): TransportResponse =
        answer(request.fields.first { it.first == "Authorization" }.second.removePrefix("Bearer "))
}
