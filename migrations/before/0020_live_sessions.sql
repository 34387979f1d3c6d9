-- No statement that asks whether a flow waits is spread over several processes of the server.
-- Locks: changes the label of a function, which takes none that anybody waits for. Time: milliseconds.
--
-- The program of before counts all live flows in one statement, once in a while and near its limit every minute; with a million of
-- them the server gave that three processes. Whether a statement may have them is decided before its functions are inlined.
ALTER FUNCTION is_waiting(flow_state) PARALLEL UNSAFE;
