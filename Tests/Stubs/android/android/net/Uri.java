// A declaration to compile against, without a platform behind it.
package android.net;

public abstract class Uri {
    public static Uri parse(String uriString) { return null; }
    public abstract String getScheme();
}
