// A stand-in for the platform, as far as the sample app needs one.
package android.os;

public class BaseBundle {
    private final java.util.HashMap<String, String> values = new java.util.HashMap<>();
    BaseBundle() {}
    public String getString(String key) { return values.get(key); }
    public void putString(String key, String value) { values.put(key, value); }
}
