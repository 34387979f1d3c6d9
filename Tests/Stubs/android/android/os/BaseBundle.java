// A declaration to compile against, without a platform behind it.
package android.os;

public class BaseBundle {
    BaseBundle() {}
    public String getString(String key) { return null; }
    public void putString(String key, String value) {}
}
