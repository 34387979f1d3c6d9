// A declaration to compile against, without a platform behind it.
package android.content;

public class Intent {
    public static final String ACTION_VIEW = "android.intent.action.VIEW";
    public static final int FLAG_ACTIVITY_NEW_TASK = 0x10000000;
    public static final int FLAG_ACTIVITY_SINGLE_TOP = 0x20000000;
    public static final int FLAG_ACTIVITY_CLEAR_TOP = 0x04000000;
    public Intent() {}
    public Intent(String action, android.net.Uri uri) {}
    public Intent(Context packageContext, Class<?> cls) {}
    public String getAction() { return null; }
    public String getDataString() { return null; }
    public String getStringExtra(String name) { return null; }
    public Intent putExtra(String name, String value) { return this; }
    public Intent addFlags(int flags) { return this; }
}
