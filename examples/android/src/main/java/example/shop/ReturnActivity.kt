package example.shop

import android.app.Activity
import android.content.Intent
import android.os.Bundle
import sallyport.client.android.ReturnIntent

/** Opened by the return link: hands it to the cart, and shows nothing itself. */
class ReturnActivity : Activity() {
    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        val link = ReturnIntent.link(intent)
        if (link != null) startActivity(Intent(this, CartActivity::class.java).putExtra(CartActivity.LINK, link))
        finish()
    }
}
