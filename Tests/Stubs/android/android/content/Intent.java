// A declaration to compile against, without a platform behind it.
package android.content;

public class Intent {
    public static final String ACTION_VIEW = "android.intent.action.VIEW";
    public String getAction() { return null; }
    public android.net.Uri getData() { return null; }
    public String getDataString() { return null; }
    public Intent setPackage(String packageName) { return this; }
}
