// A stand-in for the platform, as far as the sample app needs one.
package android.app;

import android.content.Intent;
import android.os.Bundle;
import phone.Phone;

public class Activity extends android.view.ContextThemeWrapper {
    /** What the system has started it with. */
    public Intent started = new Intent();
    private boolean isDestroyed;
    public Activity() {}
    protected void onCreate(Bundle savedInstanceState) {}
    protected void onNewIntent(Intent intent) {}
    protected void onSaveInstanceState(Bundle outState) {}
    protected void onDestroy() { isDestroyed = true; }
    @Deprecated public void onBackPressed() { Phone.done.add("leave"); }
    public Intent getIntent() { return started; }
    public void setContentView(android.view.View view) {}
    public final void runOnUiThread(Runnable action) { Phone.run(action); }
    public boolean isDestroyed() { return isDestroyed; }
    public void finish() { Phone.done.add("finish"); }
}
