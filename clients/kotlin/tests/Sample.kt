package sallyport.client.tests

import android.app.Activity
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import android.view.View
import android.webkit.WebResourceError
import android.webkit.WebResourceRequest
import android.webkit.WebView
import android.widget.Button
import example.shop.CartActivity
import example.shop.ReturnActivity
import phone.Phone
import java.io.File
import java.lang.reflect.InvocationTargetException
import java.nio.file.Files
import java.util.concurrent.ExecutorService
import java.util.concurrent.TimeUnit

private const val cart = "https://pay.example.com/androidApp/cart"
private const val tab = "tab https://pay.example.com/button?secureWebviewSessionId="
private const val back = "https://pay-links.example.com/index.html?"
private val script = "script typeof window.purchase === 'function' && (window.purchase(\"$fresh\", \"sealed\", \"S03-1\"), true)"

/** What the system calls is no app's business: it is protected. */
private fun Activity.system(name: String, type: Class<*>? = null, value: Any? = null) {
    val method = javaClass.getDeclaredMethod(name, *listOfNotNull(type).toTypedArray())
    method.isAccessible = true
    try {
        if (type == null) method.invoke(this) else method.invoke(this, value)
    } catch (error: InvocationTargetException) {
        throw error.targetException
    }
}

/** The sample app in one process, on a phone that is a stand-in; the thread of the case is that of its UI. */
private class Screen(link: String? = null, saved: Bundle? = null) {
    val activity = CartActivity()
    val web: WebView
    val again: Button

    init {
        if (link != null) activity.started.putExtra(CartActivity.LINK, link)
        activity.system("onCreate", Bundle::class.java, saved)
        web = Phone.views.last { it is WebView } as WebView
        again = Phone.views.last { it is Button } as Button
    }

    val isFailed get() = again.visibility == View.VISIBLE

    fun arrive(url: String = cart) {
        web.shown = url
        web.client.onPageFinished(web, url)
        settle()
    }

    fun come(link: String) {
        activity.system("onNewIntent", Intent::class.java, Intent().putExtra(CartActivity.LINK, link))
        settle()
    }

    fun hand(ticket: String) {
        val bridge = web.bridges.getValue("androidApp")
        val method = bridge.javaClass.getMethod("handle", String::class.java)
        method.isAccessible = true
        method.invoke(bridge, ticket)
        settle()
    }

    /** Lets the worker end what it has, and the UI what came of it. */
    fun settle() {
        val field = CartActivity::class.java.getDeclaredField("worker")
        field.isAccessible = true
        val worker = field.get(activity) as ExecutorService
        do {
            var isQuiet = true
            while (Phone.queue.isNotEmpty()) Phone.queue.take().run()
            // What was just run may have given the worker more to do, and that the UI.
            val end = worker.submit {}
            while (!end.isDone) Phone.queue.poll(5, TimeUnit.MILLISECONDS)?.let {
                it.run()
                isQuiet = false
            }
        } while (!isQuiet || Phone.queue.isNotEmpty())
    }

    /** The process ends: nothing but files goes on, and what the system has asked for. */
    fun die(): Bundle {
        val saved = Bundle()
        activity.system("onSaveInstanceState", Bundle::class.java, saved)
        Phone.done.clear()
        return saved
    }
}

private fun life(name: String, body: () -> Unit) = case("sample app: $name") {
    Phone.reset(Files.createTempDirectory("sallyport-kotlin").toFile())
    body()
}

private fun done() = Phone.done.toList()

/** The sample app of examples/android, through the lives of its process. */
internal fun sample() {
    life("the cart, the tab with the cookie written out before, the return, the receipt, and nothing at the next start") {
        val screen = Screen()
        screen.arrive()
        screen.hand(old)
        screen.come(back + query())
        screen.arrive("https://pay.example.com/thanks")
        expect(done(), listOf("load $cart", "flush", tab + old, script))
        Phone.done.clear()
        Screen().arrive()
        expect(done(), listOf("load $cart"))
    }
    life("killed in the tab: the link waits for the page, and is handed in once") {
        val saved = Screen().also { it.arrive(); it.hand(old) }.die()
        val screen = Screen(null, saved)
        screen.come(back + query())
        expect(done(), listOf("load $cart"))
        screen.arrive()
        expect(done(), listOf("load $cart", script))
        screen.come(back + query())
        expect(done().count { it == script }, 1)
    }
    life("killed before the page was there: the link is in the saved state") {
        Screen().also { it.arrive(); it.hand(old) }.die()
        val saved = Screen(back + query()).die()
        Screen(null, saved).arrive()
        expect(done(), listOf("load $cart", script))
    }
    life("killed while the page was paying: the same link again") {
        Screen().also { it.arrive(); it.hand(old); it.come(back + query()) }.die()
        Screen().arrive()
        expect(done(), listOf("load $cart", script))
    }
    life("a link of somebody else: no script, and no word") {
        val screen = Screen(back + query(a = "swa_" + "z".repeat(64), c = "swc_" + "z".repeat(64)))
        screen.arrive()
        screen.come("https://evil.test/")
        expect(done(), listOf("load $cart"))
        expect(screen.isFailed, false)
    }
    life("no network: try again, and it goes on") {
        Screen().also { it.arrive(); it.hand(old) }.die()
        val screen = Screen(back + query())
        val main = object : WebResourceRequest {
            override fun getUrl(): Uri = Uri.parse(cart)
            override fun isForMainFrame() = true
        }
        screen.web.client.onReceivedError(screen.web, main, object : WebResourceError() {})
        screen.arrive()
        expect(done(), listOf("load $cart"))
        expect(screen.isFailed, true)
        screen.again.listener.onClick(screen.again)
        expect(screen.isFailed, false)
        screen.arrive()
        expect(done(), listOf("load $cart", "load $cart", script))
    }
    life("a page without its script: failed, then the same link again") {
        val screen = Screen()
        screen.arrive()
        screen.hand(old)
        Phone.answer = "false"
        screen.come(back + query())
        expect(screen.isFailed, true)
        Phone.answer = "true"
        screen.again.listener.onClick(screen.again)
        screen.arrive()
        expect(done().takeLast(2), listOf("load $cart", script))
        expect(screen.isFailed, false)
    }
    life("a link while another page is shown: the cart is loaded first") {
        val screen = Screen()
        screen.arrive()
        screen.hand(old)
        screen.arrive("https://pay.example.com/terms")
        screen.come(back + query())
        expect(done().last(), "load $cart")
        screen.arrive()
        expect(done().last(), script)
    }
    life("a disk that takes nothing: no tab; a link waits until it does") {
        val screen = Screen()
        screen.arrive()
        Phone.folder.delete()
        screen.hand(old)
        expect(done(), listOf("load $cart"))
        expect(screen.isFailed, true)
        Phone.folder.mkdir()
        screen.hand(old)
        val record = File(Phone.folder, "checkout")
        val kept = record.readText()
        record.delete()
        record.mkdir()
        screen.come(back + query())
        expect(screen.isFailed, true)
        record.delete()
        record.writeText(kept)
        screen.again.listener.onClick(screen.again)
        screen.arrive()
        expect(done().last(), script)
    }
    life("a damaged record: the next order makes it good") {
        File(Phone.folder, "checkout").writeText("x")
        val screen = Screen()
        screen.arrive()
        expect(screen.isFailed, true)
        screen.hand(old)
        expect(screen.isFailed, false)
        expect(done().last(), tab + old)
    }
    life("no browser: no crash, and a way to try again") {
        val screen = Screen()
        screen.arrive()
        Phone.hasBrowser = false
        screen.hand(old)
        expect(screen.isFailed, true)
    }
    life("an activity that has ended: a late ticket and a late page do nothing") {
        val screen = Screen()
        screen.arrive()
        screen.activity.system("onDestroy")
        screen.web.shown = cart
        screen.web.client.onPageFinished(screen.web, cart)
        expect(screen.web.bridges.isEmpty(), true)
        expect(done(), listOf("load $cart"))
    }
    life("the view stays with the shop; the browser gets links to other sites, and nobody any other scheme") {
        val screen = Screen()
        fun goes(url: String, isMain: Boolean = true) = !screen.web.client.shouldOverrideUrlLoading(screen.web, object : WebResourceRequest {
            override fun getUrl(): Uri = Uri.parse(url)
            override fun isForMainFrame() = isMain
        })
        expect(listOf(cart, "https://pay.example.com/thanks", "https://pay.example.com.evil.test/", "http://pay.example.com/", "intent:x#Intent;end",
            "javascript:alert(1)").map { goes(it) }, listOf(true, true, false, false, false, false))
        expect(goes("https://evil.test/", false), false)
        expect(done(), listOf("load $cart", "start ${Intent.ACTION_VIEW} https://pay.example.com.evil.test/"))
    }
    life("back: within the cart, then out of it") {
        val screen = Screen()
        screen.web.hasHistory = true
        screen.activity.onBackPressed()
        screen.web.hasHistory = false
        screen.activity.onBackPressed()
        expect(done(), listOf("load $cart", "back", "leave"))
    }
    life("the return: takes the tab away, hands the link to the cart, and shows nothing") {
        for ((intent, expected) in listOf(Intent(Intent.ACTION_VIEW, Uri.parse(back)) to listOf("start CartActivity 34000000 {link=$back}", "finish"),
            Intent() to listOf("finish"))) {
            Phone.done.clear()
            val activity = ReturnActivity()
            activity.started = intent
            activity.system("onCreate", Bundle::class.java)
            expect(done(), expected)
        }
    }
}
