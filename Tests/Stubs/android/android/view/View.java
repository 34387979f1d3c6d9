// A declaration to compile against, without a platform behind it.
package android.view;

public class View {
    public static final int VISIBLE = 0;
    public static final int GONE = 8;
    public View(android.content.Context context) {}
    public boolean post(Runnable action) { return false; }
    public void setVisibility(int visibility) {}
    public int getVisibility() { return VISIBLE; }
    public void setOnClickListener(OnClickListener l) {}

    public interface OnClickListener {
        void onClick(View v);
    }
}
