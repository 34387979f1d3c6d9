package example.shop

import android.app.Activity
import android.content.ActivityNotFoundException
import android.content.Intent
import android.net.Uri
import android.os.Bundle
import android.view.View
import android.view.ViewGroup
import android.webkit.CookieManager
import android.webkit.WebResourceError
import android.webkit.WebResourceRequest
import android.webkit.WebView
import android.webkit.WebViewClient
import android.widget.Button
import android.widget.LinearLayout
import sallyport.client.Checkout
import sallyport.client.CheckoutConfiguration
import sallyport.client.CheckoutListener
import sallyport.client.CheckoutState
import sallyport.client.ClientKind
import sallyport.client.Completion
import sallyport.client.FileCheckoutStore
import sallyport.client.LaunchTicket
import sallyport.client.ReturnLinkException
import sallyport.client.android.CheckoutTab
import sallyport.client.android.WebViewCartPage
import java.io.File
import java.util.concurrent.Executors

/** The cart in a web view, and a button to try again where something has failed. */
class CartActivity : Activity() {
    private val configuration = CheckoutConfiguration("https://pay.example.com", "https://pay-links.example.com", ClientKind.ANDROID_APP)

    /** One thread: what the page tells comes after what was asked of it. */
    private val worker = Executors.newSingleThreadExecutor()
    private val listener = object : CheckoutListener {
        override fun onState(state: CheckoutState) = show(state is CheckoutState.Failed)
    }
    private lateinit var content: LinearLayout
    private lateinit var again: Button
    private lateinit var web: WebView
    private lateinit var page: WebViewCartPage
    private lateinit var checkout: Checkout

    /** A return link that was not handed in yet. */
    private var waiting: String? = null
    private var isLoading = false
    private var isBroken = false
    private var isResumed = false

    /** The script of the cart page is there. */
    private var isReady = false

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        content = LinearLayout(this)
        content.orientation = LinearLayout.VERTICAL
        again = Button(this)
        again.text = "Try again"
        again.visibility = View.GONE
        again.setOnClickListener { load() }
        web = WebView(this)
        web.settings.javaScriptEnabled = true
        web.settings.domStorageEnabled = true // where the page keeps its ticket when it is loaded anew
        web.settings.allowFileAccess = false
        web.settings.allowContentAccess = false
        web.webViewClient = Client()
        content.addView(again)
        content.addView(web, ViewGroup.LayoutParams(ViewGroup.LayoutParams.MATCH_PARENT, ViewGroup.LayoutParams.MATCH_PARENT))
        setContentView(content)
        page = WebViewCartPage(web, configuration, ::depart)
        checkout = Checkout(configuration, Completion.Page(page), FileCheckoutStore(File(noBackupFilesDir, "checkout")))
        checkout.add(listener)
        // An activity that is made again has the intent of its first start, whose link was handed in then.
        waiting = if (state == null) intent.getStringExtra(LINK) else state.getString(LINK)
        load()
    }

    /** A return while this activity is alive, or made again behind the tab. */
    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        waiting = intent.getStringExtra(LINK) ?: return
        if (isReady || isLoading) goOn() else load()
    }

    override fun onSaveInstanceState(state: Bundle) {
        super.onSaveInstanceState(state)
        state.putString(LINK, waiting)
    }

    /** Out of the cart it leaves the app; a checkout under way stays in its file. */
    @Suppress("DEPRECATION", "OVERRIDE_DEPRECATION")
    override fun onBackPressed() = if (web.canGoBack()) web.goBack() else super.onBackPressed()

    override fun onDestroy() {
        checkout.remove(listener)
        page.close()
        content.removeAllViews()
        web.destroy()
        worker.shutdown() // what has begun ends: it is written down
        super.onDestroy()
    }

    private fun load() {
        isLoading = true
        isReady = false
        isBroken = false
        isResumed = false
        show(false)
        page.load()
    }

    /** Goes on with what an earlier process has left, then hands in the return: both need the page. */
    private fun goOn() {
        if (!isReady) return
        val link = waiting
        val isFirst = !isResumed
        waiting = null
        isResumed = true
        if (isFirst) work { checkout.resume() }
        if (link != null) work(link) { checkout.receive(link) }
    }

    /** The cart page has a ticket: out to the tab. */
    private fun depart(ticket: LaunchTicket) = work {
        val launch = checkout.open(ticket)
        // The cookie is the proof that this app has asked; otherwise it is written half a minute later, when the app may be dead.
        CookieManager.getInstance().flush()
        runOnUiThread {
            try {
                if (!isDestroyed) CheckoutTab.open(this, launch)
            } catch (error: ActivityNotFoundException) {
                show(true) // no browser on this phone
            }
        }
    }

    /** Off the thread of the UI, which calls this. A [link] that nothing has become of waits for the next time. */
    private fun work(link: String? = null, task: () -> Unit) {
        if (worker.isShutdown) return
        worker.execute {
            try {
                task()
            } catch (refusal: ReturnLinkException) {
                // The checkout is as it was; the buyer sees where it stands.
            } catch (error: Exception) {
                // The file cannot be read or written. The next order of the buyer makes a broken one good.
                runOnUiThread { if (waiting == null) waiting = link }
                show(true)
            }
        }
    }

    private fun show(isFailed: Boolean) = runOnUiThread { again.visibility = if (isFailed) View.VISIBLE else View.GONE }

    private inner class Client : WebViewClient() {
        /** The view shows the shop's pages alone; what they link to belongs into the browser. */
        override fun shouldOverrideUrlLoading(view: WebView, request: WebResourceRequest): Boolean {
            if (request.url.toString().startsWith(configuration.webOrigin + "/")) return false
            if (request.isForMainFrame && request.url.scheme == "https") browse(request.url)
            return true
        }

        private fun browse(url: Uri) = try {
            startActivity(Intent(Intent.ACTION_VIEW, url))
        } catch (error: ActivityNotFoundException) {
            // Nobody shows it: the page stays.
        }

        override fun onReceivedError(view: WebView, request: WebResourceRequest, error: WebResourceError) {
            if (request.isForMainFrame) isBroken = true
        }

        /** Comes behind an error, too, and for each page. */
        override fun onPageFinished(view: WebView, url: String) {
            isLoading = false
            isReady = !isBroken && page.isThere
            if (isBroken) show(true)
            if (!isBroken) work { checkout.pageArrived(url) }
            goOn()
        }
    }

    companion object {
        /** The link in the intent of [ReturnActivity]. Any app may send one: `Checkout.receive` believes none. */
        const val LINK = "link"
    }
}
