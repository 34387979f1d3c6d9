<?php
// A merchant's server between an app (or a site) and Sallyport's interface /v1. PHP 8.2, nothing but php-cli.
//
//   SALLYPORT_URL=https://pay.example.com SALLYPORT_KEY=key.txt PORT=8097 SHOP_STATE=shop.json php shop.php
//
// SALLYPORT_KEY     the API key or the file that holds it; its scopes: sessions:read,sessions:write,payments:write,refunds:write
// SALLYPORT_CA      a PEM file, where the certificate of SALLYPORT_URL is not of a public authority
// WEBHOOK_SECRETS   whsec_..., several with blanks between them, each of 24 bytes or more; where it is not set no webhook is believed
// SHOP_STAFF_TOKEN  what the shop's own people show to capture and refund, 24 characters or more; where it is not set nobody can
// SHOP_RETURN_URL   where buyers of the client `site` come back to
//
// It listens on this machine only: TLS is the business of the proxy in front of it. In production SHOP_STATE is your database, PRICES
// your catalogue, a login what your app's users have (here every Bearer token of 16 to 128 characters is one), and the server
// php-fpm behind a proxy that limits contents; the one of php-cli answers one request after the other, and reads contents of any
// length before this file sees them.
declare(strict_types=1);

const PRICES = ['tea' => ['Sencha 100 g', 1320, 8], 'cup' => ['Tea cup', 880, 10]], POSTAGE = 540;
// What the states of a session mean to an app, and the status that tells it.
const MEANING = ['created' => 'open', 'at_provider' => 'open', 'in_review' => 'open', 'paying' => 'pending', 'payment_pending' => 'pending',
    'declined' => 'declined', 'canceled' => 'over', 'expired' => 'over', 'closed' => 'over',
    'paid' => 'paid', 'captured' => 'paid', 'part_refunded' => 'paid', 'refunded' => 'paid'];
const STATUS = ['open' => 202, 'pending' => 202, 'declined' => 402, 'over' => 410, 'paid' => 200];
const WORD = '/\A[A-Za-z0-9_-]{1,64}\z/';

/** What is answered; thrown where there is nothing more to do. */
final class Answer extends Exception {
    public function __construct(public int $status, public ?array $body = null, public int|string|null $retry = null) {
        parent::__construct();
    }
}

/** Reads the state, lets it be changed, and replaces the file as a whole before anything goes on that relies on it. */
function change(callable $body): mixed {
    $path = getenv('SHOP_STATE');
    umask(0077);
    $lock = fopen("$path.lock", 'c');
    flock($lock, LOCK_EX);
    $state = is_file($path) ? json_decode(file_get_contents($path), true, 64, JSON_THROW_ON_ERROR)
        : ['logins' => [], 'checkouts' => [], 'calls' => []];
    $before = $state;
    $result = $body($state);
    if ($state !== $before) {
        $file = fopen("$path.new", 'w');
        $text = json_encode(array_map(fn($part) => (object) $part, $state), JSON_THROW_ON_ERROR);
        if (fwrite($file, $text) !== strlen($text) || !fsync($file) || !fclose($file) || !rename("$path.new", $path)) {
            throw new RuntimeException('the state cannot be written');
        }
    }
    fclose($lock);
    return $result;
}

function read(string $part, string $name): ?array {
    return change(fn(&$state) => $state[$part][$name] ?? null);
}

/** Asks Sallyport; again, under the same key, where the answer is lost or says `later`. That is safe, another key never is. */
function ask(string $method, string $path, ?array $body = null, ?string $key = null): array {
    $fields = ['Authorization: Bearer ' . api_key(), 'Connection: close'];
    if ($key !== null) array_push($fields, 'Content-Type: application/json', "Idempotency-Key: $key");
    $http = ['method' => $method, 'header' => $fields, 'content' => $key === null ? '' : json_encode($body), 'ignore_errors' => true,
        'follow_location' => 0, 'protocol_version' => 1.1, 'timeout' => 60];
    $context = stream_context_create(['http' => $http, 'ssl' => getenv('SALLYPORT_CA') ? ['cafile' => getenv('SALLYPORT_CA')] : []]);
    for ($left = 2; ; $left--) {
        [$waits, $retry, $http_response_header] = [false, null, []];
        $text = @file_get_contents(rtrim(getenv('SALLYPORT_URL'), '/') . $path, false, $context);
        $content = is_string($text) ? json_decode($text, true) : null;
        if (is_array($content)) {
            $status = (int) explode(' ', $http_response_header[0])[1];
            $after = preg_grep('/^Retry-After:/i', $http_response_header);
            $retry = $after ? trim(explode(':', current($after), 2)[1]) : null;
            $waits = $status === 409 || ($content['code'] ?? null) === 'outcome_unknown';
            if ($status < 500 && $status !== 408 && $status !== 429 && !($status === 409 && $retry)) return [$status, $content, $retry];
        } else {
            // The system's words alone: what stands in front of them is the address, and whatever else somebody has put there.
            $words = $text === false ? preg_replace('/^.*: /s', '', error_get_last()['message'] ?? '') : 'no JSON';
            error_log("shop: no answer to $path $words");
        }
        $pause = ctype_digit($retry ?? '') ? (int) $retry : 1;
        if ($left === 0 || $pause > 5) {  // Longer than a buyer looks at nothing: the app asks again.
            throw $waits ? new Answer(202, ['state' => 'pending'], $pause)
                : new Answer(503, ['state' => 'unavailable'], $pause);
        }
        sleep($pause);
    }
}

function api_key(): string {
    $key = getenv('SALLYPORT_KEY');
    return trim(str_starts_with($key, 'swk_') ? $key : file_get_contents($key));
}

/** The keys that webhooks are signed with; null where a secret is none, for an empty one would believe everybody. */
function webhook_keys(): ?array {
    $keys = [];
    foreach (array_filter(explode(' ', getenv('WEBHOOK_SECRETS') ?: ''), fn($secret) => $secret !== '') as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if (!str_starts_with($secret, 'whsec_') || $key === false || strlen($key) < 24) return null;
        $keys[] = $key;
    }
    return $keys;
}

/** Logs what no repeat makes better, without any secret; returns its code. */
function refusal(string $what, int $status, array $content): ?string {
    error_log("shop: $what $status " . implode(' ', [$content['code'] ?? '', $content['field'] ?? '', $content['detail'] ?? '']));
    return $content['code'] ?? null;
}

function yen(int|string $amount): array {
    return ['amount' => (string) $amount, 'currencyCode' => 'JPY'];
}

function text(mixed $value, string $name, string $pattern): string {
    return is_string($value) && preg_match($pattern, $value) ? $value : throw new Answer(400, ['error' => "$name is missing or malformed"]);
}

function base64url(string $bytes): string {
    return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
}

// For the buyer.

/** Opens a session for the buyer, once for each word of the app. */
function begin(string $login, string $word, array $body): Answer {
    $client = text($body['client'] ?? null, 'client', '/\A(iosApp|androidApp|site)\z/');
    $items = is_array($body['items'] ?? null) ? $body['items'] : [];
    $isGood = fn($id) => isset(PRICES[$id]) && is_int($items[$id]) && $items[$id] >= 1 && $items[$id] <= 99;
    if (!$items || array_filter(array_keys($items), $isGood) !== array_keys($items)) {
        throw new Answer(400, ['error' => 'items are names of ours, each with a count of 1 to 99']);
    }
    ksort($items);
    [$call, $checkout] = change(function (&$state) use ($login, $word, $client, $items) {
        $call = &$state['calls']["open $login $word"];
        if (!$call) {
            // Written down before the call: where the answer is lost, the very same request goes out again under the same key.
            [$reference, $verifier] = ['S-' . bin2hex(random_bytes(8)), base64url(random_bytes(32))];
            $state['checkouts'][$reference] = ['reference' => $reference, 'state' => 'open', 'sequence' => 0, 'login' => $login,
                'verifier' => $verifier];
            $call = ['asked' => [$client, $items], 'key' => "open-$reference", 'order' => order($reference, $client, $items, $verifier)];
        }
        return [$call, $state['checkouts'][$call['order']['reference']]];
    });
    if ($call['asked'] !== [$client, $items]) throw new Answer(422, ['error' => 'this Idempotency-Key was used for another order']);
    if (!isset($checkout['session'])) {
        [$status, $content] = ask('POST', '/v1/sessions', $call['order'], $call['key']);
        if ($status !== 201) throw new Answer(502, ['error' => refusal('no session:', $status, $content)]);
        $checkout = change(function (&$state) use ($login, $checkout, $content) {
            // The proof never leaves this server: it binds the payment to the login that began it.
            $launch = $content['launch'];
            return $state['checkouts'][$checkout['reference']] = ['session' => $content['id'], 'proof' => $launch['appProof'],
                'launch' => $launch['url']] + $state['checkouts'][$checkout['reference']];
        });
    } elseif (($checkout = look($checkout))['state'] !== 'open') {
        $words = 'the checkout of this Idempotency-Key has ended';
        throw new Answer(409, ['error' => $words, 'state' => $checkout['state']]);
    }
    change(fn(&$state) => $state['logins'][$login] = $checkout['reference']);
    return new Answer(201, ['reference' => $checkout['reference'], 'launchUrl' => $checkout['launch']]);
}

/** The order as Sallyport wants it; the prices are ours, whatever the app says. */
function order(string $reference, string $client, array $items, string $verifier): array {
    $lines = [];
    foreach ($items as $id => $count) {
        [$name, $price, $rate] = PRICES[$id];
        $lines[] = ['id' => $id, 'name' => $name, 'quantity' => $count, 'unitPrice' => yen($price), 'taxRate' => $rate];
    }
    $order = ['reference' => $reference, 'client' => $client, 'currency' => 'JPY', 'pricesIncludeTax' => true, 'lines' => $lines,
        'postage' => ['amount' => yen(POSTAGE)], 'codeChallenge' => base64url(hash('sha256', $verifier, true))];
    return $client === 'site' ? $order + ['returnUrl' => getenv('SHOP_RETURN_URL') ?: 'https://shop.example.com/paid'] : $order;
}

/** The checkout of a session, where this login has begun it. In production your database has an index for that. */
function begun(string $login, string $session): ?array {
    $isIt = fn($one) => ($one['session'] ?? null) === $session && ($one['login'] ?? null) === $login;
    return change(fn(&$state) => current(array_filter($state['checkouts'], $isIt)) ?: null);
}

/** The buyer is back. The proof comes from the login, never from the link, which anybody can send. */
function redeem(string $login, array $body): Answer {
    $ticket = text($body['returnTicket'] ?? null, 'returnTicket', '/\Aswc_[A-Za-z0-9_-]{64}\z/');
    $reference = text($body['orderReferenceId'] ?? null, 'orderReferenceId', '/\A[A-Za-z0-9-]{1,64}\z/');
    $id = bin2hex(substr(base64_decode(strtr(substr($ticket, 4), '-_', '+/')), 0, 16));
    $checkout = begun($login, preg_replace('/\A(.{8})(.{4})(.{4})(.{4})/', '$1-$2-$3-$4-', $id));
    if (!$checkout) throw new Answer(403, ['state' => 'refused']);
    if ($checkout['state'] === 'paid') return told($checkout);
    $proofs = ['returnTicket' => $ticket, 'orderReferenceId' => $reference, 'appProof' => $checkout['proof'],
        'codeVerifier' => $checkout['verifier']];
    $path = "/v1/sessions/{$checkout['session']}/complete";
    [$status, $content, $retry] = ask('POST', $path, $proofs, "complete-{$checkout['reference']}");
    if ($status === 202 && isset($content['launch'])) {  // Profile strict: both halves have met, and only now the buyer agrees, in the tab.
        return new Answer(202, ['state' => 'continue', 'launchUrl' => $content['launch']['url']]);
    }
    if ($status === 200 || $status === 202) {
        $checkout = note($checkout['reference'], $content);
        return $status === 200 ? told($checkout) : new Answer(202, ['state' => 'pending'], $retry ?? 2);
    }
    $code = refusal('not completed:', $status, $content);
    if ($status === 402 || $status === 410) {
        return told(note($checkout['reference'], ['state' => $status === 402 ? 'declined' : 'expired']));
    }
    if (in_array($code, ['proof_mismatch', 'order_mismatch', 'not_found'], true)) throw new Answer(403, ['state' => 'refused']);
    throw new Answer(503, ['state' => 'unavailable'], 30);
}

/** How a checkout of a login stands: that of the app's session, or the newest one for an app that has forgotten everything. */
function standing(string $login, string $session): Answer {
    $newest = fn(&$state) => $state['checkouts'][$state['logins'][$login] ?? ''] ?? null;
    $checkout = $session === 'current' ? change($newest) : begun($login, $session);
    if (!$checkout) return new Answer(200, ['state' => 'none']);
    $checkout = look($checkout);
    return new Answer(200, told($checkout)->body + ['reference' => $checkout['reference']]);
}

/** Asks how a checkout stands, unless it has ended. */
function look(array $checkout): array {
    if (in_array($checkout['state'], ['paid', 'over'], true)) return $checkout;
    try {
        [$status, $content] = ask('GET', "/v1/sessions/{$checkout['session']}");
        return $status === 200 ? note($checkout['reference'], $content) : $checkout;
    } catch (Answer) {
        return $checkout;  // What was known before is an answer too.
    }
}

/** Keeps what Sallyport says of a session. Paid stays paid, whatever comes late. */
function note(string $reference, array $session, ?int $sequence = null): array {
    return change(function (&$state) use ($reference, $session, $sequence) {
        $checkout = &$state['checkouts'][$reference];
        if ($sequence !== null && $sequence <= $checkout['sequence']) return $checkout;  // This webhook has come before.
        $checkout['sequence'] = $sequence ?? $checkout['sequence'];
        if ($checkout['state'] !== 'paid') $checkout['state'] = MEANING[$session['state']] ?? $checkout['state'];
        if ($session['charges'] ?? []) {
            $checkout = ['charge' => $session['charges'][0]['id'], 'total' => $session['amounts']['total']['amount']] + $checkout;
        }
        return $checkout;
    });
}

function told(array $checkout): Answer {
    $paid = $checkout['state'] === 'paid' ? ['reference' => $checkout['reference'], 'total' => $checkout['total'] ?? null] : [];
    return new Answer(STATUS[$checkout['state']], ['state' => $checkout['state']] + $paid);
}

// For Sallyport.

/** A webhook: believed for its signature (Standard Webhooks) and its time, counted once by its place in the session. */
function hear(string $content): Answer {
    [$id, $at] = [$_SERVER['HTTP_WEBHOOK_ID'] ?? '', $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? ''];
    $good = 0;
    foreach (webhook_keys() as $key) {
        $tag = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$content", $key, true));
        foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $part) $good += (int) hash_equals($tag, $part);
    }
    if (!$good || !preg_match('/\A[0-9]{1,12}\z/', $at) || abs(time() - (int) $at) > 300) {
        throw new Answer(401, ['error' => 'not signed by one of our secrets, or not now']);
    }
    $event = json_decode($content, true, 64);
    if (!is_array($event) || !is_array($event['data'] ?? null)) throw new Answer(400, ['error' => 'the content is no event']);
    $reference = $event['data']['reference'] ?? '';
    $checkout = is_string($reference) ? read('checkouts', $reference) : null;
    // Another program's order is none of ours, and a test is of no order.
    if (isset($checkout['session']) && $checkout['session'] === ($event['sessionId'] ?? null)) {
        note($checkout['reference'], $event['data'], $event['sequence'] ?? 0);
    }
    return new Answer(204);
}

// For the shop's own people.

/** Captures or refunds, once for each word of theirs. */
function move(string $name, string $deed, string $word, array $body): Answer {
    $checkout = read('checkouts', $name);
    if (!isset($checkout['charge'])) throw new Answer(404, ['error' => 'there is no such order, or it is not paid']);
    $amount = $deed === 'capture' ? $checkout['total'] : text($body['amount'] ?? null, 'amount', '/\A[1-9][0-9]{0,9}\z/');
    $call = change(function (&$state) use ($name, $deed, $word, $amount) {
        return $state['calls']["$deed $name $word"] ??= ['key' => bin2hex(random_bytes(16)), 'amount' => $amount];
    });
    if ($call['amount'] !== $amount) throw new Answer(422, ['error' => 'this Idempotency-Key was used for another amount']);
    [$status, $content, $retry] = ask('POST', "/v1/charges/{$checkout['charge']}/$deed", ['amount' => yen($amount)], $call['key']);
    if ($status < 300) return new Answer($status, ['state' => $content['state'], 'id' => $content['id']], $retry);
    $code = refusal("$deed refused:", $status, $content);
    $message = $content['detail'] ?? null;
    throw new Answer(in_array($status, [402, 409, 422], true) ? $status : 502, ['error' => $code, 'message' => $message]);
}

function route(string $method, string $path): Answer {
    $length = $_SERVER['CONTENT_LENGTH'] ?? $_SERVER['HTTP_CONTENT_LENGTH'] ?? ($method === 'GET' ? '0' : null);
    if ($length === null || isset($_SERVER['HTTP_TRANSFER_ENCODING'])) throw new Answer(411, ['error' => 'Content-Length is missing']);
    if (!preg_match('/\A[0-9]{1,5}\z/', $length) || (int) $length > 65536) throw new Answer(413, ['error' => 'at most 65536 bytes']);
    if (!preg_match('/\A[!-~]+\z/', $_SERVER['REQUEST_URI'])) throw new Answer(400, ['error' => 'the path is not written in ASCII']);
    $content = file_get_contents('php://input', false, null, 0, 65537);
    if (strlen($content) !== (int) $length) throw new Answer(400, ['error' => 'the content is not as long as Content-Length says']);
    $bearer = preg_replace('/^Bearer /', '', $_SERVER['HTTP_AUTHORIZATION'] ?? '');
    $word = fn() => text($_SERVER['HTTP_IDEMPOTENCY_KEY'] ?? null, 'Idempotency-Key', WORD);
    // Who asks; only a digest is kept, for the file would otherwise open every account.
    $login = fn() => preg_match('/\A[A-Za-z0-9_-]{16,128}\z/', $bearer) ? hash('sha256', $bearer)
        : throw new Answer(401, ['error' => 'Authorization: Bearer and a login of 16 to 128 characters']);
    $body = function () use ($content) {
        $value = json_decode($content === '' ? '{}' : $content);
        return is_object($value) ? json_decode($content, true) ?? [] : throw new Answer(400, ['error' => 'the content is no JSON object']);
    };
    if ("$method $path" === 'POST /webhooks') return hear($content);
    if ("$method $path" === 'POST /checkouts') return begin($login(), $word(), $body());
    if ("$method $path" === 'POST /checkouts/return') return redeem($login(), $body());
    $one = '#\A/checkouts/(current|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\z#';
    if ($method === 'GET' && preg_match($one, $path, $found)) return standing($login(), $found[1]);
    if ($method === 'POST' && preg_match('#\A/orders/([A-Za-z0-9-]{1,64})/(capture|refunds)\z#', $path, $order)) {
        $staff = getenv('SHOP_STAFF_TOKEN') ?: '';
        if ($staff === '' || !hash_equals($staff, $bearer)) throw new Answer(403, ['error' => "for the shop's own people"]);
        return move($order[1], $order[2], $word(), $body());
    }
    throw new Answer(404, ['error' => 'there is nothing here']);
}

if (PHP_SAPI === 'cli') {
    $missing = array_filter(['SALLYPORT_URL', 'SALLYPORT_KEY', 'PORT', 'SHOP_STATE'], fn($name) => !getenv($name));
    if ($missing) exit_with('not set: ' . implode(', ', $missing));
    $url = parse_url(getenv('SALLYPORT_URL'));
    if ($url['scheme'] !== 'https' && !in_array($url['host'], ['127.0.0.1', '[::1]', 'localhost'], true)) {
        exit_with('SALLYPORT_URL has to be https: the key goes there');
    }
    if (!preg_match('/\Aswk_[A-Za-z0-9_-]{24,}\z/', api_key())) exit_with('SALLYPORT_KEY is no API key, or a file without one');
    // What is set and empty is a mistake: it is not taken for what is not set.
    $keys = webhook_keys();
    if ($keys === null) exit_with('WEBHOOK_SECRETS: each is whsec_ and the Base64 of 24 bytes or more');
    if ($keys === [] && getenv('WEBHOOK_SECRETS') !== false) exit_with('WEBHOOK_SECRETS is empty');
    $staff = getenv('SHOP_STAFF_TOKEN');
    if ($staff !== false && !preg_match('/\A[!-~]{24,}\z/', $staff)) {
        exit_with('SHOP_STAFF_TOKEN has to have 24 characters or more, without blanks');
    }
    // Each request runs this file again, below.
    pcntl_exec(PHP_BINARY, ['-d', 'display_errors=0', '-d', 'log_errors=1', '-S', '127.0.0.1:' . getenv('PORT'), __FILE__]);
}

function exit_with(string $message): never {
    fwrite(STDERR, "shop: $message\n");
    exit(1);
}

$isOwn = PHP_SAPI === 'cli-server';
if ($isOwn) pcntl_sigprocmask(SIG_BLOCK, [SIGTERM]);  // What has begun is answered before the end.
try {
    $answer = route($_SERVER['REQUEST_METHOD'], parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) ?: '/');
} catch (Answer $thrown) {
    $answer = $thrown;
} catch (Throwable $problem) {
    error_log('shop: ' . $problem::class . ' in line ' . $problem->getLine());
    $answer = new Answer(500, ['error' => 'the request failed on our side']);
}
http_response_code($answer->status);
header('Content-Type: application/json');
header('Cache-Control: no-store');
if ($answer->retry) header("Retry-After: {$answer->retry}");
if ($answer->body !== null) echo json_encode($answer->body);
flush();
// The server of php-cli ends in order by another signal.
if ($isOwn && pcntl_sigtimedwait([SIGTERM], $info, 0, 1) > 0) posix_kill(getmypid(), SIGINT);
if ($isOwn) pcntl_sigprocmask(SIG_UNBLOCK, [SIGTERM]);
