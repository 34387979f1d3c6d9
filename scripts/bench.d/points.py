"""Gives members a point each, once, over 32 connections: `points.py PORT HOST KEY`, ids of members on standard input. Prints how often each status came."""
import collections
import http.client
import json
import queue
import sys
import threading

CONNECTIONS = 32


def main():
    port, host, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    members, statuses, lock = queue.SimpleQueue(), collections.Counter(), threading.Lock()
    for line in sys.stdin.read().split():
        members.put(line)

    def work():
        own, connection = collections.Counter(), http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while True:
            try:
                member = members.get_nowait()
            except queue.Empty:
                break
            headers = {"Host": host, "Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": f"points-{member}"}
            connection.request("POST", f"/v1/wallet/members/{member}/points", b'{"add":1}', headers)
            answer = connection.getresponse()
            answer.read()
            own[str(answer.status)] += 1
        with lock:
            statuses.update(own)

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps(statuses))


if __name__ == "__main__":
    main()
