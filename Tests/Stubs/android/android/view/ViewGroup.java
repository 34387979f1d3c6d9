// A declaration to compile against, without a platform behind it.
package android.view;

public abstract class ViewGroup extends View {
    public ViewGroup(android.content.Context context) { super(context); }
    public void addView(View child) {}
    public void addView(View child, LayoutParams params) {}
    public void removeAllViews() {}

    public static class LayoutParams {
        public static final int MATCH_PARENT = -1;
        public LayoutParams(int width, int height) {}
    }
}
