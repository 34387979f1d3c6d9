// A declaration to compile against, without a platform behind it.
package android.app;

import android.content.Intent;
import android.os.Bundle;

public class Activity extends android.view.ContextThemeWrapper {
    public Activity() {}
    protected void onCreate(Bundle savedInstanceState) {}
    protected void onNewIntent(Intent intent) {}
    protected void onSaveInstanceState(Bundle outState) {}
    protected void onDestroy() {}
    @Deprecated public void onBackPressed() {}
    public Intent getIntent() { return null; }
    public void setContentView(android.view.View view) {}
    public final void runOnUiThread(Runnable action) {}
    public boolean isDestroyed() { return false; }
    public void finish() {}
}
