import Web

/// Texts of the management pages.
enum ConsoleTexts {
    static let members = Localized("ウォレット会員", "Wallet members")
    static let member = Localized("会員", "Member")
    static let words = Localized("会員番号または名前の先頭", "Member number, or beginning of a name")
    static let state = Localized("状態", "State")
    static let allStates = Localized("すべての状態", "All states")
    static let number = Localized("会員番号", "Member number")
    static let account = Localized("アカウント", "Account")
    static let name = Localized("名前", "Name")
    static let points = Localized("ポイント", "Points")
    static let devices = Localized("端末", "Phones")
    static let created = Localized("登録", "Since")
    static let ended = Localized("退会", "Ended")
    static let pass = Localized("カード", "Card")
    static let serial = Localized("シリアル番号", "Serial number")
    static let template = Localized("テンプレート", "Template")
    static let version = Localized("版", "Version")
    static let linkOpened = Localized("リンクの最初の利用", "Link first used")
    static let neverOpened = Localized("リンクはまだ使われていません", "the link was not used yet")
    static let registered = Localized("最初の登録", "First registered")
    static let lastRegistered = Localized("最後の登録", "Last registered")
    static let fetched = Localized("最後の取得", "Last fetched")
    static let phones = Localized("端末", "Phones")
    static let phone = Localized("端末（ハッシュの先頭）", "Phone (beginning of a hash)")
    static let seen = Localized("最終アクセス", "Last request")
    static let pushed = Localized("最後の通知", "Last push")
    static let pushAnswer = Localized("通知の結果", "Its answer")
    static let history = Localized("履歴", "History")
    static let errors = Localized("端末からのエラー報告", "What phones report")
    static let time = Localized("日時", "Time")
    static let event = Localized("できごと", "Event")
    static let detail = Localized("詳細", "Detail")
    static let kind = Localized("種類", "Kind")
    static let message = Localized("内容", "Message")

    static let changePoints = Localized("ポイントの変更", "Change points")
    static let how = Localized("変更方法", "How")
    static let set = Localized("この値にする", "Set to")
    static let add = Localized("加算する", "Add")
    static let subtract = Localized("減算する", "Take off")
    static let change = Localized("変更する", "Change")
    static let pointsHint = Localized("半角数字で0から999999999まで。", "A whole number from 0 to 999999999.")
    static let link = Localized("ダウンロード用リンク", "Download link")
    static let renewLink = Localized("リンクを作り直す", "Renew the link")
    static let renewHint = Localized(
        "新しいリンクを発行します。以前のリンクは使えなくなります。",
        "Makes a new link; the one before stops working."
    )
    static let linkShown = Localized(
        "このリンクはカードを開く鍵です。会員本人にだけ渡してください。この画面を閉じると表示されません。",
        "Whoever has this link can install the card: give it to the member alone. It is not shown again once you leave this page."
    )
    static let push = Localized("端末への通知", "Wake the phones")
    static let pushAgain = Localized("更新通知を再送する", "Send the push again")
    static let pushHint = Localized(
        "カードを持つ端末に、新しい版の確認を促します。",
        "Has the phones with this card ask for its newest version."
    )
    static let endMembership = Localized("退会にする", "End the membership")
    static let endWarning = Localized(
        "カードは無効になり、名前とポイントは直ちに消えます。元に戻すことはできません。",
        "The card becomes void, and name and points are deleted at once. This cannot be undone."
    )
    static let back = Localized("会員の画面へ", "Back to the member")

    static let unchanged = Localized("ポイントは変わっていません。", "The points are the same as before.")
    static let noSuchMember = Localized("該当する会員はいません。", "There is no such member.")
    static let endedAlready = Localized("この会員は退会済みです。", "This membership has ended.")
    static let notANumber = Localized(
        "ポイントは半角数字で0から999999999までの整数を入力してください。",
        "Points are a whole number from 0 to 999999999, in digits."
    )
    static let outOfRange = Localized(
        "この変更ではポイントが0未満または999999999を超えるため、何も変更していません。",
        "The member would have fewer than 0 or more than 999999999 points, so nothing was changed."
    )

    static func changed(_ points: Int, devices: Int) -> Localized {
        Localized(
            "ポイントを\(points)にしました。通知する端末：\(devices)台。",
            "The member has \(points) points now; phones that are woken: \(devices)."
        )
    }

    /// What the push service has answered; its words stand as they are.
    static func push(_ status: Int?, _ reason: String?) -> Localized {
        guard let status else { return Localized("応答なし", "none") }
        if status == 200 { return Localized("受け付け済み", "accepted") }
        let words = reason.map { "\(status) \($0)" } ?? "\(status)"
        return Localized(words, words)
    }

    static func woken(_ devices: Int) -> Localized {
        Localized("\(devices)台の端末に通知します。", "Phones that are woken: \(devices).")
    }

    static let endedNow = Localized("退会にしました。カードは無効になります。", "The membership has ended; the card becomes void.")

    static func versions(_ pass: PassView) -> Localized {
        guard let fetched = pass.fetchedVersion else {
            return Localized("\(pass.version)（端末は未取得）", "\(pass.version) (no phone has fetched it)")
        }
        return Localized("\(pass.version)のうち、端末は\(fetched)", "a phone has \(fetched) of \(pass.version)")
    }

    static func state(_ state: PassState) -> Localized {
        switch state {
        case .issued: Localized("発行済み", "issued")
        case .installed: Localized("インストール済み", "installed")
        case .removed: Localized("削除済み", "removed")
        case .lost: Localized("端末不明", "lost")
        case .voided: Localized("無効", "void")
        }
    }

    static func hint(_ state: PassState) -> Localized {
        switch state {
        case .issued: Localized("まだどの端末にも登録されていません。", "No phone has registered the card yet.")
        case .installed: Localized("1台以上の端末に入っています。", "At least one phone has the card.")
        case .removed:
            Localized(
                "端末から削除されたか、端末で自動更新がオフになっています。",
                "It was removed from the phone, or automatic updates are off there."
            )
        case .lost:
            Localized(
                "プッシュ通知の宛先がなくなりました。端末の初期化や紛失が考えられます。",
                "The push service calls the phone gone: it may have been wiped or lost."
            )
        case .voided: Localized("お店が終了したカードです。", "The shop has ended the card.")
        }
    }

    /// A kind of event; one that this version does not know stands as it is.
    static func kind(_ word: String) -> Localized {
        switch word {
        case "created": Localized("発行", "issued")
        case "link_opened": Localized("リンクの利用", "link used")
        case "registered": Localized("端末の登録", "phone registered")
        case "token_changed": Localized("通知先の変更", "push token changed")
        case "unregistered": Localized("端末の登録解除", "phone unregistered")
        case "updated": Localized("更新", "updated")
        case "pushed": Localized("通知", "push sent")
        case "push_failed": Localized("通知の失敗", "push failed")
        case "push_dead": Localized("通知先の消失", "push token dead")
        case "fetched": Localized("取得", "fetched")
        case "not_modified": Localized("変更なしの確認", "asked, not modified")
        case "voided": Localized("無効化", "voided")
        case "deleted": Localized("削除", "deleted")
        case "device_error": Localized("端末のエラー", "error of a phone")
        default: Localized(word, word)
        }
    }
}
