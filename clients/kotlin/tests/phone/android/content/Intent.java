// A stand-in for the platform, as far as the sample app needs one.
package android.content;

import java.util.HashMap;

public class Intent {
    public static final String ACTION_VIEW = "android.intent.action.VIEW";
    public static final int FLAG_ACTIVITY_NEW_TASK = 0x10000000;
    public static final int FLAG_ACTIVITY_SINGLE_TOP = 0x20000000;
    public static final int FLAG_ACTIVITY_CLEAR_TOP = 0x04000000;
    private final HashMap<String, String> extras = new HashMap<>();
    private String action, data, target;
    private int flags;
    public Intent() {}
    public Intent(String action, android.net.Uri uri) { this.action = action; data = uri.toString(); }
    public Intent(Context packageContext, Class<?> cls) { target = cls.getSimpleName(); }
    public String getAction() { return action; }
    public String getDataString() { return data; }
    public String getStringExtra(String name) { return extras.get(name); }
    public Intent putExtra(String name, String value) { extras.put(name, value); return this; }
    public Intent addFlags(int flags) { this.flags |= flags; return this; }
    @Override public String toString() { return target == null ? action + " " + data : target + " " + Integer.toHexString(flags) + " " + extras; }
}
