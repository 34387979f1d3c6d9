import Web

/// Texts of the staff's own pages.
enum OperatorTexts {
    static let footer = Localized("スタッフ専用の画面です。", "For the shop’s staff.")
    static let skip = Localized("本文へ移動", "Skip to content")
    static let menu = Localized("メニュー", "Menu")
    static let signOut = Localized("サインアウト", "Sign out")
    static let signIn = Localized("サインイン", "Sign in")
    static let name = Localized("名前", "Name")
    static let key = Localized("キー", "Key")
    static let keyHint = Localized(
        "管理者から受け取った、sok_ で始まる文字列です。",
        "It begins with sok_; whoever keeps the list of the staff has given it to you."
    )
    static let start = Localized("スタート", "Start")
    static let toStart = Localized("スタート画面へ", "To the start page")
    static let requestNumber = Localized("リクエスト番号：", "Request:")
    static let sessions = Localized("自分のセッション", "My sessions")
    static let decisions = Localized("操作の記録", "Decisions")
    static let signedOut = Localized("サインアウトしました。", "You are signed out.")
    static let roleView = Localized("閲覧のみ", "may look")
    static let roleChange = Localized("閲覧と変更", "may look and change")
    static let person = Localized("担当者", "Person")
    static let role = Localized("権限", "Role")
    static let opened = Localized("開始", "Opened")
    static let seen = Localized("最終アクセス", "Last request")
    static let network = Localized("接続元", "From")
    static let action = Localized("操作", "Action")
    static let thisSession = Localized("この画面のセッション", "this session")
    static let end = Localized("終了する", "End")
    static let endSession = Localized("このセッションを終了する", "End this session")
    static let endOthers = Localized("ほかのセッションをすべて終了", "End all others")
    static let sessionEnded = Localized("セッションを終了しました。", "The session was ended.")
    static let othersEnded = Localized("ほかのセッションを終了しました。", "All other sessions were ended.")
    static let time = Localized("日時", "Time")
    static let target = Localized("対象", "About")
    static let reason = Localized("理由", "Reason")
    static let reasonHint = Localized(
        "記録に残ります。個人情報は書かないでください。",
        "It is recorded. No personal data, please."
    )
    static let result = Localized("結果", "Outcome")
    static let carriedOut = Localized("完了", "carried out")
    static let refused = Localized("変更なし（拒否）", "refused, nothing changed")
    static let cutOff = Localized("未完了または中断", "not finished, or cut off")
    static let filter = Localized("絞り込む", "Filter")
    static let search = Localized("検索", "Search")
    static let all = Localized("すべて", "All")
    static let newer = Localized("最初のページ", "First page")
    static let older = Localized("次のページ", "Next page")
    static let pages = Localized("ページ", "Pages")
    static let nothing = Localized("該当するものはありません。", "There is nothing here.")
    static let cancel = Localized("キャンセル", "Cancel")
    static let optional = Localized("（任意）", "(optional)")
}
