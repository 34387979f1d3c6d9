INSERT INTO note (note_id, board, text) SELECT a.webview_session_id, a.webview_session_id, 'Tea is ready' FROM aged AS a;
