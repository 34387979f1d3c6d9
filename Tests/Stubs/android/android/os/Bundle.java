// A declaration to compile against, without a platform behind it.
package android.os;

public final class Bundle extends BaseBundle {
    public Bundle() {}
}
