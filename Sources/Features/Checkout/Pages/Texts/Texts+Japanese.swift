import Pages

extension Texts {
    static let japanese = Texts(
        language: .ja,
        frame: FrameTexts(
            steps: "ご購入の流れ",
            stepCart: "カート",
            stepPayment: "お支払い",
            stepConfirm: "ご確認",
            stepDone: "完了",
            demonstration: "デモ環境です。実際の請求や発送は行われません。",
            footer: "お支払いは Amazon Pay の安全なページで行われます。カード番号が当店に伝わることはありません。",
            backToCart: "カートページに戻る",
            backToApp: "アプリに戻るには、この画面の「完了」または ✕ をタップして閉じてください。",
            backToSite: "ショップに戻るには、この画面を閉じてください。",
            backSomewhere: "アプリやショップからお越しの方は、この画面を「完了」または ✕ で閉じてお戻りください。",
            backToShop: "ショップに戻る",
            toReceipt: "ご注文の控えを見る",
            reference: "お問い合わせ番号",
            scriptNeeded: "このページでは JavaScript を使います。ブラウザの設定で有効にしてから、再読み込みしてください。",
            policy: { $0.japanese }
        ),
        start: StartTexts(
            heading: "アプリから出て、アプリに戻る決済",
            lead: "アプリは WebView でカートを表示しますが、Amazon Pay には通常のブラウザが必要です。このサーバーが、購入手続きを安全に橋渡しします。",
            steps: [
                "カートがチケットを受け取り、アプリがそれをセキュアなタブで開きます。チケットは一度しか使えません。",
                "タブの中で Amazon Pay にサインインし、お届け先とお支払い方法を選んで、注文内容を確認します。",
                "リンクからアプリに戻ります。アプリ自身の証明があって、はじめて注文が確定します。",
            ],
            note: "ここでは Amazon Pay はシミュレーターです。アプリ用の2つのカートにはアプリか scripts/walkthrough が必要です。ブラウザ用のカートはそのまま使えます。",
            browser: "ブラウザのカート",
            iosApp: "iOS アプリのカート",
            androidApp: "Android アプリのカート"
        ),
        order: OrderTexts(
            heading: "ご注文内容",
            item: "商品名",
            quantity: "数量",
            lineTotal: "金額",
            subtotal: "小計",
            tax: "消費税",
            postage: "送料",
            total: "お支払い合計（税込）",
            undecided: "-",
            withTax: "税込",
            withoutTax: "税抜",
            reducedMark: "※",
            reducedLegend: "※ は軽減税率（8%）の対象です。",
            rate: { $0.japanese },
            taxOpening: "（内消費税 ",
            taxClosing: "）",
            registration: "登録番号",
            destination: "お届け先",
            recipient: "お届け先氏名",
            postalCode: "郵便番号",
            address: "住所",
            phone: "電話番号",
            payment: "お支払い方法",
            paymentTime: "お支払い時期",
            delivery: "お届け時期",
            returns: "キャンセル・返品"
        ),
        cart: CartTexts(
            title: "カート",
            heading: "カート",
            lead: "数量を選んで、Amazon Pay でお進みください。",
            more: "を1点増やす",
            less: "を1点減らす",
            subtotal: "商品合計",
            subtotalNote: "税込・送料別",
            buy: "Amazon Pay で購入手続きへ",
            assurance: "Amazon アカウントのお届け先とお支払い方法を利用できます。ご注文が確定するのは、最後の確認画面のあとです。",
            notANumber: "数量は 0〜99 の数字で入力してください。",
            nothingChosen: "商品を1点以上お選びください。",
            tooMany: "数量は 99 点までです。",
            opening: "お支払いページを開いています…",
            stillOpening: "お支払いページを開いています。時間がかかっていますので、そのままお待ちください…",
            failed: "通信できませんでした。通信環境をご確認のうえ、もう一度お試しください。",
            limited: "アクセスが集中しています。少し待ってから、もう一度お試しください。",
            bridgeMissing: "このページはアプリの中で開いてください。"
        ),
        completion: .japanese,
        button: ButtonTexts(
            title: "お支払いページへ",
            heading: "Amazon Pay でのお支払い",
            lead: "自動で画面が変わるまで、しばらくお待ちください。",
            manual: "Amazon Pay に進む",
            manualNote: "画面が変わらないときは、下のボタンをタップしてください。",
            slow: "Amazon Pay のボタンを読み込めませんでした。通信環境をご確認のうえ、もう一度お試しください。",
            reload: "もう一度読み込む",
            withoutScript: "Amazon Pay のボタンには JavaScript が必要です。",
            postageNote: "送料とお支払い合計は、お届け先を選んだあとに表示されます。"
        ),
        open: OpenTexts(
            title: "お支払いページへ",
            heading: "お支払いページを開きます",
            automatic: "自動で画面が変わります。変わらないときは、ボタンをタップしてください。",
            tap: "アプリで購入手続きを始めた方は、下のボタンでお進みください。心当たりがない場合は、このページを閉じてください。",
            proceed: "お支払いページに進む"
        ),
        confirm: ConfirmTexts(
            title: "ご注文内容の確認",
            heading: "ご注文内容の確認",
            lead: "内容をご確認のうえ、ボタンでお進みください。",
            changeAddress: "お届け先を変更",
            changePayment: "お支払い方法を変更",
            noPayment: "Amazon Pay で選択済み",
            note: "ショップから：",
            app: ConfirmTexts.Agreement(
                button: "Amazon Pay の確認へ進む",
                note: "Amazon Pay がお支払いを確認します。本人確認を求められることがあります。ご注文は、アプリに戻ったときに確定します。"
            ),
            site: ConfirmTexts.Agreement(
                button: "Amazon Pay の確認へ進む",
                note: "Amazon Pay がお支払いを確認します。本人確認を求められることがあります。ご注文は、ショップに戻ったときに確定します。"
            ),
            browser: ConfirmTexts.Agreement(
                button: "注文を確定する",
                note: "このあと Amazon Pay がお支払いを確認し、ご注文が確定します。本人確認を求められることがあります。"
            ),
            sending: "送信しています…",
            readOnly: "ただいまご注文を確定しています。この画面では変更できません。",
            reload: "最新の状態を表示",
            returnLead: "ご注文を確定するため、いったんアプリに戻ります。お支払いはまだ行われません。",
            returnLink: "アプリに戻って確定する",
            cancel: "購入をやめる",
            cancelQuestion: "この購入を取り消しますか。お支払いは行われません。",
            cancelForGood: "この購入を取り消す",
            undeliverableHeading: "別のお届け先をお選びください",
            undeliverable: "このお届け先には商品をお送りできません。"
        ),
        result: .japanese,
        thanks: ThanksTexts(
            title: "ご購入ありがとうございました",
            heading: "ご購入ありがとうございました。",
            lead: "ご注文を承りました。お問い合わせの際は、下の番号をお知らせください。",
            orderNumber: "ご注文番号",
            date: "ご注文日",
            keep: "このページが表示されるのは短い間です。印刷するか、番号をお控えください。確認メールや領収書など、ショップからのご連絡は別にお届けします。"
        ),
        canceled: CanceledTexts(
            title: "お手続きの中止",
            heading: "お支払いは行われていません",
            lead: "Amazon Pay でのお手続きが中止されました。",
            cartKept: "カートの内容はそのまま残っています。",
            retry: "もう一度お支払いに進む",
            cancelForGood: "この購入を取り消す",
            endedHeading: "購入を取り消しました",
            endedLead: "お支払いは行われていません。この画面は閉じて構いません。"
        ),
        declined: DeclinedTexts(
            title: "お支払いを完了できませんでした",
            heading: "お支払いを完了できませんでした",
            lead: "Amazon Pay でお支払いが承認されませんでした。請求は発生していません。別のお支払い方法でお試しください。",
            retry: "別のお支払い方法で試す"
        ),
        errors: ErrorTexts(
            toConfirm: "ご注文内容の確認に戻る",
            toButton: "お支払いをやり直す",
            toAddress: "お届け先を変更する",
            toResult: "最新の状況を表示する"
        ),
        neutral: NoticeTexts(
            title: "このページは終了しました",
            heading: "このページは終了しました",
            lead: "購入手続きが済んだか、時間が経ったため、ここから先には進めません。新しい請求が発生することはありません。",
            steps: [
                "アプリからお越しの方は、この画面を「完了」または ✕ で閉じてアプリにお戻りください。",
                "ご注文がお済みの場合、これ以上のお手続きは必要ありません。ご注文の状況は、ショップのアプリまたはページでご確認ください。",
                "まだご注文でない場合は、カートページからやり直せます。",
            ]
        ),
        cookies: NoticeTexts(
            title: "ブラウザで開いてください",
            heading: "このブラウザでは進めません",
            lead: "Cookie が使えないか、別のアプリの中のブラウザで開かれているか、購入手続きが終わってから時間が経っています。ご注文が確定していない場合、請求は発生しません。",
            steps: [
                "ご注文がお済みの場合、これ以上のお手続きは必要ありません。ご注文の状況は、ショップのアプリまたはページでご確認ください。",
                "SNS やメールのアプリの中で開いている場合は、メニューから Safari または Chrome で開き直してください。",
                "ブラウザの設定で、Cookie のブロックを解除してください。",
                "まだご注文でない場合は、そのうえで、アプリまたはカートページから購入手続きをやり直してください。",
            ]
        ),
        link: LinkTexts(
            title: "アプリに戻る",
            heading: "アプリが開きませんでした",
            lead: "通常は、このページが開く前にアプリへ戻ります。次のいずれかの方法でお戻りください。",
            rescue: "アプリに戻る方法を表示",
            steps: [
                "上のボタンの先で「アプリに戻る」をタップしてください。",
                "この端末にアプリが入っていて、最新バージョンかをご確認ください。",
                "アプリを入れ直した場合や別の端末の場合で、まだご注文でないときは、アプリのカートから購入をやり直してください。",
            ],
            charge: "アプリに戻るまで、ご注文は確定しません。請求も発生しません。",
            appStore: "App Store でアプリを見る",
            googlePlay: "Google Play でアプリを見る"
        )
    )
}

extension CompletionTexts {
    static let japanese = CompletionTexts(
        workingTitle: "ご注文を確定しています",
        working: "この画面を閉じずに、そのままお待ちください。二重に請求されることはありません。",
        waitingTitle: "お支払いを確認しています",
        waiting: "Amazon Pay からの返事を待っています。自動でもう一度確認します。二重に請求されることはありません。",
        stillWaiting: "まだ確認が取れません。しばらくしてから、ボタンをタップして確認してください。二重に請求されることはありません。",
        check: "もう一度確認する",
        offlineTitle: "通信できませんでした",
        offline: "通信環境をご確認のうえ、もう一度お試しください。何度試しても、二重に請求されることはありません。",
        retry: "もう一度試す",
        continueTitle: "お支払いページに戻ります",
        continueText: "確認が取れました。続きは安全なページで行います。開かないときは、ボタンをタップしてください。",
        continueButton: "続きを開く",
        doneTitle: "ご注文が確定しました",
        done: "ご注文の控えを表示します。",
        showReceipt: "控えを表示する",
        declinedTitle: "お支払いを完了できませんでした",
        declined: "お支払いが承認されませんでした。請求は発生していません。カートから、別のお支払い方法でお試しください。",
        proofTitle: "この手続きは確認できませんでした",
        proof: "購入を始めた端末またはブラウザと一致しません。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。",
        endedTitle: "手続きの時間が過ぎました",
        ended: "この購入手続きは終了しています。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。",
        changedTitle: "ご注文の内容が一致しません",
        changed: "表示された金額または注文と一致しません。ご注文が確定していない場合、請求は発生しません。その場合は、カートからやり直してください。",
        failedTitle: "ご注文を確定できませんでした",
        failed: "もう一度お試しください。二重に請求されることはありません。それでも確定できないときは、もう一度ご注文になる前にショップにお問い合わせください。",
        back: "カートページに戻る"
    )
}

extension ResultTexts {
    static let japanese = ResultTexts(
        title: "お支払いの確認",
        openHeading: "まだ注文は確定していません",
        appLead: "お支払いの準備ができました。アプリに戻ると、ご注文が確定します。",
        returnLink: "アプリに戻る",
        appNote: "アプリに戻るまで、請求は発生しません。",
        siteLead: "お支払いの準備ができました。ショップに戻ると、ご注文が確定します。",
        siteLink: "ショップに戻る",
        siteNote: "ショップに戻るまで、請求は発生しません。",
        browserHeading: "ご注文を確定しています",
        browserLead: "自動で画面が変わります。変わらないときは、ボタンをタップしてください。何度試しても、二重に請求されることはありません。",
        complete: "注文を確定する",
        rescueTitle: "アプリに戻る方法",
        rescueHeading: "アプリに戻る方法",
        rescueLead: "購入手続きを始めたアプリに、下のボタンで戻ってください。",
        rescueClosed: "このブラウザには、アプリに戻るためのリンクがありません。ご注文がお済みか、手続きが終わったか、別のブラウザで始められています。",
        rescueClosedSteps: [
            "アプリを直接開いて、ご注文が完了しているかをご確認ください。完了している場合、これ以上のお手続きは必要ありません。",
            "「アプリに戻る」ボタンのあるページが別の画面やブラウザに残っている場合は、そのページに戻ってボタンをタップしてください。",
            "まだご注文でない場合は、この画面を閉じ、アプリのカートから購入をやり直してください。",
        ],
        steps: "うまくいかないとき",
        stepTap: "ボタンを、1回タップしてください。",
        stepHold: "ブラウザのページが開いてしまうときは、ボタンを長押しして、メニューからアプリで開いてください。",
        stepClose: "それでも戻れないときは、この画面を閉じ、アプリのカートから購入をやり直してください。",
        stepCharge: "アプリに戻るまで、請求は発生しません。",
        completingNote: "アプリでご注文を確定しています。二重に請求されることはありません。",
        siteCompletingNote: "ショップでご注文を確定しています。二重に請求されることはありません。"
    )
}
