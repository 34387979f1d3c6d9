/// Earlier names of the database, with those of now (docs/decisions/0013).
enum EarlyNames {
    private static let words = [
        "flow": "webview_session", "flow_event": "webview_session_event", "flow_private": "webview_session_private",
        "flow_purchasing": "webview_session_purchase", "flow_sweep": "webview_session_sweep",
        "flow_id": "webview_session_id",
        "a_hash": "launch_hash", "b_hash": "tab_hash", "b_prev_hash": "tab_superseded_hash", "b_seen_at": "tab_seen_at",
        "c_hash": "return_hash", "met_at": "both_presented_at", "verdict": "outcome",
        "webhook_lane": "webhook_delivery_queue", "parked_at": "dead_at",
    ]

    /// The files of functions.
    static let functions = [
        "flow_floor.sql": "id_floor.sql", "flow_moment.sql": "id_moment.sql",
        "flow_make_partition.sql": "partition_make.sql",
        "flow_drop_partition.sql": "partition_drop.sql", "flow_drop_expired.sql": "webview_session_drop_expired.sql",
        "flow_maintain_partitions.sql": "webview_session_maintain_partitions.sql",
        "arrive_verdict.sql": "mobile_return_outcome.sql", "buy_verdict.sql": "buy_outcome.sql",
        "open_verdict.sql": "open_outcome.sql", "place_verdict.sql": "place_outcome.sql",
        "receipt_verdict.sql": "receipt_outcome.sql", "review_verdict.sql": "review_outcome.sql",
        "tab_verdict.sql": "tab_outcome.sql", "order_standing.sql": "order_status.sql",
        "operation_verdict.sql": "operation_outcome.sql",
    ]

    /// The name of today of a table or a column.
    static func today(_ name: String) -> String { words[name] ?? name }
}
