// A declaration to compile against, without a platform behind it.
package android.webkit;

public interface ValueCallback<T> {
    void onReceiveValue(T value);
}
