// A stand-in for the platform, as far as the sample app needs one.
package android.content;

import phone.Phone;

public class ContextWrapper extends Context {
    public ContextWrapper(Context base) {}
    @Override public java.io.File getNoBackupFilesDir() { return Phone.folder; }
    @Override public void startActivity(Intent intent) {
        if (!Phone.hasBrowser && intent.getAction() != null) throw new ActivityNotFoundException();
        Phone.done.add("start " + intent);
    }
}
