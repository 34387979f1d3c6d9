INSERT INTO shop_note (note_id, board, text) SELECT a.webview_session_id, a.webview_session_id, 'Tea is ready' FROM aged AS a;
-- allowance note_count tables=note_count: the counts of all boards
-- values note_write: '$NEW', '$SESSION', 'word', '$NEW', 'mark', sha256('f'), '{}'
