# A merchant's server between an app (or a site) and Sallyport's interface /v1. Ruby 3.1 as Debian has it, its standard library and WEBrick.
#
#   SALLYPORT_URL=https://pay.example.com SALLYPORT_KEY=key.txt PORT=8097 SHOP_STATE=shop.json ruby shop.rb
#
# SALLYPORT_KEY     the API key or the file that holds it; its scopes: sessions:read,sessions:write,payments:write,refunds:write
# SALLYPORT_CA      a PEM file, where the certificate of SALLYPORT_URL is not of a public authority
# WEBHOOK_SECRETS   whsec_..., several with blanks between them, each of 24 bytes or more; where it is not set no webhook is believed
# SHOP_STAFF_TOKEN  what the shop's own people show to capture and refund, 24 characters or more; where it is not set nobody can
# SHOP_RETURN_URL   where buyers of the client `site` come back to
#
# It listens on this machine only: TLS is the business of the proxy in front of it. In production SHOP_STATE is your database, PRICES
# your catalogue, and a login what your app's users have; here every Bearer token of 16 to 128 characters is one.
# frozen_string_literal: true
require "base64"
require "json"
require "net/http"
require "openssl"
require "securerandom"
require "webrick"

PRICES = { "tea" => ["Sencha 100 g", 1320, 8], "cup" => ["Tea cup", 880, 10] }.freeze
POSTAGE = 540
# What the states of a session mean to an app, and the status that tells it.
MEANING = { "created" => "open", "at_provider" => "open", "in_review" => "open", "paying" => "pending", "payment_pending" => "pending",
            "declined" => "declined", "canceled" => "over", "expired" => "over", "closed" => "over",
            "paid" => "paid", "captured" => "paid", "part_refunded" => "paid", "refunded" => "paid" }.freeze
STATUS = { "open" => 202, "pending" => 202, "declined" => 402, "over" => 410, "paid" => 200 }.freeze
WORD = /\A[A-Za-z0-9_-]{1,64}\z/

# What is answered; raised where there is nothing more to do.
class Answer < StandardError
  attr_reader :status, :body, :retry_after

  def initialize(status, body = nil, retry_after = nil)
    super("an answer")
    @status, @body, @retry_after = status, body, retry_after
  end
end

# Replaces the file as a whole, before anything goes on that relies on it. The caller has the lock.
def save
  File.open("#{STATE_FILE}.new", "w", 0o600) do |file|
    file.write(JSON.generate(STATE))
    file.fsync
  end
  File.rename("#{STATE_FILE}.new", STATE_FILE)
rescue SystemCallError # What is in memory alone must not be answered: a new start reads what is true.
  warn "shop: SHOP_STATE cannot be written"
  exit!(1)
end

# Asks Sallyport; again, under the same key, where the answer is lost or says `later`. That is safe, another key never is.
def ask(method, path, body = nil, key = nil)
  fields = { "Authorization" => "Bearer #{API_KEY}" }
  fields.update("Content-Type" => "application/json", "Idempotency-Key" => key) if key
  request = Net::HTTPGenericRequest.new(method, !key.nil?, true, URL.path.chomp("/") + path, fields)
  request.body = JSON.generate(body) if key
  options = { use_ssl: URL.scheme == "https", ca_file: ENV["SALLYPORT_CA"], open_timeout: 10, read_timeout: 60, max_retries: 0 }
  2.downto(0) do |left|
    waits, again = false, nil
    begin
      reply = Net::HTTP.start(URL.hostname, URL.port, nil, options) { |http| http.request(request) }
      status, again, content = reply.code.to_i, reply["Retry-After"], JSON.parse(reply.body)
      waits = status == 409 || content["code"] == "outcome_unknown"
      return [status, content, again] if status < 500 && ![408, 429].include?(status) && !(status == 409 && again)
    rescue SystemCallError, IOError, SocketError, Timeout::Error, OpenSSL::SSL::SSLError, Net::HTTPBadResponse, JSON::ParserError => e
      # What is said of bad JSON or of bad fields quotes them, with what is secret in them.
      warn "shop: no answer to #{path} #{e.class} #{e.message if e.is_a?(SystemCallError)}"
    end
    pause = again.to_s.match?(/\A[0-9]+\z/) ? again.to_i : 1
    if left.zero? || pause > 5 # Longer than a buyer looks at nothing: the app asks again.
      raise waits ? Answer.new(202, { state: "pending" }, pause) : Answer.new(503, { state: "unavailable" }, pause)
    end
    sleep pause
  end
end

# Logs what no repeat makes better, without any secret; returns its code.
def refusal(what, status, content)
  warn "shop: #{what} #{status} #{content.values_at("code", "field", "detail").join(" ")}"
  content["code"]
end

def yen(amount)
  { "amount" => amount.to_s, "currencyCode" => "JPY" }
end

def text(value, name, pattern)
  value.is_a?(String) && value.match?(pattern) ? value : raise(Answer.new(400, { error: "#{name} is missing or malformed" }))
end

# The object that some JSON is; octets that are no UTF-8 are none.
def json(content)
  content = content.dup.force_encoding("UTF-8")
  body = content.valid_encoding? ? JSON.parse(content.empty? ? "{}" : content) : nil
  body.is_a?(Hash) ? body : raise(TypeError)
rescue JSON::ParserError, TypeError, EncodingError
  raise Answer.new(400, { error: "the content is no JSON object" })
end

# For the buyer.

# Opens a session for the buyer, once for each word of the app.
def begin_checkout(login, word, body)
  client, items = text(body["client"], "client", /\A(iosApp|androidApp|site)\z/), body["items"]
  unless items.is_a?(Hash) && !items.empty? && items.all? { |id, count| PRICES[id] && count.is_a?(Integer) && count.between?(1, 99) }
    raise Answer.new(400, { error: "items are names of ours, each with a count of 1 to 99" })
  end
  call = LOCK.synchronize do
    known = STATE["calls"]["open #{login} #{word}"] ||= begin
      # Written down before the call: where the answer is lost, the very same request goes out again under the same key.
      reference, verifier = "S-#{SecureRandom.hex(8)}", SecureRandom.urlsafe_base64(32)
      STATE["checkouts"][reference] = { "reference" => reference, "state" => "open", "sequence" => 0, "login" => login,
                                          "verifier" => verifier }
      { "asked" => [client, items], "key" => "open-#{reference}", "order" => order(reference, client, items, verifier) }
    end
    save
    known
  end
  raise Answer.new(422, { error: "this Idempotency-Key was used for another order" }) if call["asked"] != [client, items]
  checkout = STATE["checkouts"][call["order"]["reference"]]
  if !checkout["session"]
    status, content = ask("POST", "/v1/sessions", call["order"], call["key"])
    raise Answer.new(502, { error: refusal("no session:", status, content) }) if status != 201
    LOCK.synchronize do
      # The proof never leaves this server: it binds the payment to the login that began it.
      launch = content["launch"]
      checkout.update("session" => content["id"], "proof" => launch["appProof"], "launch" => launch["url"])
    end
  elsif look(checkout)["state"] != "open"
    raise Answer.new(409, { error: "the checkout of this Idempotency-Key has ended", state: checkout["state"] })
  end
  LOCK.synchronize do
    STATE["logins"][login] = checkout["reference"]
    save
  end
  Answer.new(201, { reference: checkout["reference"], launchUrl: checkout["launch"] })
end

# The order as Sallyport wants it; the prices are ours, whatever the app says.
def order(reference, client, items, verifier)
  lines = items.map do |id, count|
    name, price, rate = PRICES[id]
    { "id" => id, "name" => name, "quantity" => count, "unitPrice" => yen(price), "taxRate" => rate }
  end
  order = { "reference" => reference, "client" => client, "currency" => "JPY", "pricesIncludeTax" => true, "lines" => lines,
            "postage" => { "amount" => yen(POSTAGE) },
            "codeChallenge" => Base64.urlsafe_encode64(OpenSSL::Digest::SHA256.digest(verifier), padding: false) }
  client == "site" ? order.merge("returnUrl" => RETURN_URL) : order
end

# The buyer is back. The proof comes from the login, never from the link, which anybody can send.
def redeem(login, body)
  ticket = text(body["returnTicket"], "returnTicket", /\Aswc_[A-Za-z0-9_-]{64}\z/)
  reference = text(body["orderReferenceId"], "orderReferenceId", /\A[A-Za-z0-9-]{1,64}\z/)
  id = Base64.urlsafe_decode64(ticket[4..])[0, 16].unpack1("H*")
  checkout = begun(login, id.sub(/\A(.{8})(.{4})(.{4})(.{4})/, '\1-\2-\3-\4-'))
  raise Answer.new(403, { state: "refused" }) unless checkout
  return told(checkout) if checkout["state"] == "paid"
  proofs = { returnTicket: ticket, orderReferenceId: reference, appProof: checkout["proof"], codeVerifier: checkout["verifier"] }
  path = "/v1/sessions/#{checkout["session"]}/complete"
  status, content, again = ask("POST", path, proofs, "complete-#{checkout["reference"]}")
  if status == 202 && content["launch"] # Profile strict: both halves have met, and only now the buyer agrees, in the tab.
    return Answer.new(202, { state: "continue", launchUrl: content["launch"]["url"] })
  end
  if [200, 202].include?(status)
    note(checkout, content)
    return status == 200 ? told(checkout) : Answer.new(202, { state: "pending" }, again || 2)
  end
  code = refusal("not completed:", status, content)
  if [402, 410].include?(status)
    note(checkout, { "state" => status == 402 ? "declined" : "expired" })
    return told(checkout)
  end
  raise Answer.new(403, { state: "refused" }) if %w[proof_mismatch order_mismatch not_found].include?(code)
  raise Answer.new(503, { state: "unavailable" }, 30)
end

# The checkout of a session, where this login has begun it. In production your database has an index for that.
def begun(login, session)
  STATE["checkouts"].values.find { |one| one["session"] == session && one["login"] == login }
end

# How a checkout of a login stands: that of the app's session, or the newest one for an app that has forgotten everything.
def current(login, session)
  checkout = session == "current" ? STATE["checkouts"][STATE["logins"][login]] : begun(login, session)
  return Answer.new(200, { state: "none" }) unless checkout
  Answer.new(200, told(look(checkout)).body.merge(reference: checkout["reference"]))
end

# Asks how a checkout stands, unless it has ended.
def look(checkout)
  return checkout if %w[paid over].include?(checkout["state"])
  status, content = ask("GET", "/v1/sessions/#{checkout["session"]}")
  note(checkout, content) if status == 200
  checkout
rescue Answer
  checkout # What was known before is an answer too.
end

# Keeps what Sallyport says of a session. Paid stays paid, whatever comes late.
def note(checkout, session, sequence = nil)
  LOCK.synchronize do
    next if sequence && sequence <= checkout["sequence"] # This webhook has come before.
    checkout["sequence"] = sequence || checkout["sequence"]
    checkout["state"] = MEANING[session["state"]] || checkout["state"] if checkout["state"] != "paid"
    charge = session["charges"]&.first
    checkout.update("charge" => charge["id"], "total" => session["amounts"]["total"]["amount"]) if charge
    save
  end
end

def told(checkout)
  paid = checkout["state"] == "paid" ? { reference: checkout["reference"], total: checkout["total"] } : {}
  Answer.new(STATUS[checkout["state"]], { state: checkout["state"] }.merge(paid))
end

# For Sallyport.

# A webhook: believed for its signature (Standard Webhooks) and its time, counted once by its place in the session.
def hear(request, content)
  id, at = request["webhook-id"].to_s.b, request["webhook-timestamp"].to_s.b
  tags = WEBHOOK_KEYS.map { |key| "v1," + Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", key, id + "." + at + "." + content)) }
  given = request["webhook-signature"].to_s.b.split
  good = tags.product(given).count { |tag, part| OpenSSL.secure_compare(tag, part) }
  if good.zero? || !at.match?(/\A[0-9]{1,12}\z/) || (Time.now.to_i - at.to_i).abs > 300
    raise Answer.new(401, { error: "not signed by one of our secrets, or not now" })
  end
  event = json(content)
  raise Answer.new(400, { error: "the content is no event" }) unless event["data"].is_a?(Hash)
  checkout = STATE["checkouts"][event["data"]["reference"]]
  # Another program's order is none of ours, and a test is of no order.
  note(checkout, event["data"], event["sequence"]) if checkout && checkout["session"] && checkout["session"] == event["sessionId"]
  Answer.new(204)
end

# For the shop's own people.

# Captures or refunds, once for each word of theirs.
def move(name, deed, word, body)
  checkout = STATE["checkouts"][name]
  raise Answer.new(404, { error: "there is no such order, or it is not paid" }) unless checkout && checkout["charge"]
  amount = deed == "capture" ? checkout["total"] : text(body["amount"], "amount", /\A[1-9][0-9]{0,9}\z/)
  call = LOCK.synchronize do
    known = STATE["calls"]["#{deed} #{name} #{word}"] ||= { "key" => SecureRandom.hex(16), "amount" => amount }
    save
    known
  end
  raise Answer.new(422, { error: "this Idempotency-Key was used for another amount" }) if call["amount"] != amount
  status, content, again = ask("POST", "/v1/charges/#{checkout["charge"]}/#{deed}", { amount: yen(amount) }, call["key"])
  return Answer.new(status, { state: content["state"], id: content["id"] }, again) if status < 300
  code = refusal("#{deed} refused:", status, content)
  raise Answer.new([402, 409, 422].include?(status) ? status : 502, { error: code, message: content["detail"] })
end

class Shop < WEBrick::HTTPServlet::AbstractServlet
  def service(request, response)
    # As it was sent: an escape that is undone could be a line of its own in the log.
    target = request.unparsed_uri.b
    answer = begin
      length = request["content-length"] || ("0" if request.request_method == "GET")
      raise Answer.new(411, { error: "Content-Length is missing" }) if !length || request["transfer-encoding"]
      if !length.b.match?(/\A[0-9]{1,5}\z/) || length.to_i > 65_536
        # Read and dropped: closing before would take the answer from a client that sends all first.
        request.body { |_part| } if length.b.match?(/\A[0-9]{1,6}\z/)
        raise Answer.new(413, { error: "at most 65536 bytes" })
      end
      raise Answer.new(400, { error: "the path is not written in ASCII" }) unless target.match?(/\A[!-~]+\z/)
      route(request, target.split("?").first.to_s, request.body.to_s.b, request["authorization"].to_s.b.delete_prefix("Bearer "))
    rescue Answer => e
      e
    rescue WEBrick::HTTPStatus::Status => e # The content is shorter than Content-Length says.
      Answer.new(e.code, { error: "the request cannot be read" })
    rescue StandardError => e
      warn "shop: #{e.class} #{e.backtrace.first}"
      Answer.new(500, { error: "the request failed on our side" })
    end
    # No query: it may hold tickets.
    warn "shop: #{request.request_method} #{target.split("?").first.to_s.gsub(/[^!-~]/, "?")[0, 200]} #{answer.status}"
    response.status, response.keep_alive = answer.status, false
    response.content_type, response["Cache-Control"] = "application/json", "no-store"
    response["Retry-After"] = answer.retry_after.to_s if answer.retry_after
    response.body = JSON.generate(answer.body) if answer.body
  end

  def route(request, path, content, bearer)
    word = -> { text(request["idempotency-key"]&.b, "Idempotency-Key", WORD) }
    case [request.request_method, path]
    in ["POST", "/webhooks"] then hear(request, content)
    in ["POST", "/checkouts"] then begin_checkout(login(bearer), word.call, json(content))
    in ["POST", "/checkouts/return"] then redeem(login(bearer), json(content))
    in ["GET", %r{\A/checkouts/(current|\h{8}(-\h{4}){3}-\h{12})\z}] then current(login(bearer), path.split("/").last)
    in ["POST", %r{\A/orders/([A-Za-z0-9-]{1,64})/(capture|refunds)\z}]
      name, deed = path.split("/").last(2)
      raise Answer.new(403, { error: "for the shop's own people" }) if !STAFF || !OpenSSL.secure_compare(STAFF, bearer)
      move(name, deed, word.call, json(content))
    else raise Answer.new(404, { error: "there is nothing here" })
    end
  end

  # Who asks; only a digest is kept, for the file would otherwise open every account.
  def login(bearer)
    return OpenSSL::Digest::SHA256.hexdigest(bearer) if bearer.match?(/\A[A-Za-z0-9_-]{16,128}\z/)
    raise Answer.new(401, { error: "Authorization: Bearer and a login of 16 to 128 characters" })
  end
end

missing = %w[SALLYPORT_URL SALLYPORT_KEY PORT SHOP_STATE].select { |name| ENV[name].to_s.empty? }
abort "shop: not set: #{missing.join(", ")}" unless missing.empty?
Encoding.default_external = "UTF-8"
URL, STATE_FILE, STAFF = URI(ENV["SALLYPORT_URL"]), ENV["SHOP_STATE"], ENV["SHOP_STAFF_TOKEN"]
if URL.scheme != "https" && !["127.0.0.1", "::1", "localhost"].include?(URL.hostname)
  abort "shop: SALLYPORT_URL has to be https: the key goes there"
end
API_KEY = (ENV["SALLYPORT_KEY"].start_with?("swk_") ? ENV["SALLYPORT_KEY"] : File.read(ENV["SALLYPORT_KEY"])).strip
abort "shop: SALLYPORT_KEY is no API key, or a file without one" unless API_KEY.match?(/\Aswk_[A-Za-z0-9_-]{24,}\z/)
# What is set and empty is a mistake: it is not taken for what is not set.
WEBHOOK_KEYS = ENV["WEBHOOK_SECRETS"].to_s.split.map do |secret|
  # A key of fewer than 24 bytes is none: an empty one would believe everybody.
  key = secret.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m0") : ""
  key.bytesize >= 24 ? key : raise(ArgumentError)
rescue ArgumentError
  abort "shop: WEBHOOK_SECRETS: each is whsec_ and the Base64 of 24 bytes or more"
end
abort "shop: WEBHOOK_SECRETS is empty" if ENV["WEBHOOK_SECRETS"] && WEBHOOK_KEYS.empty?
abort "shop: SHOP_STAFF_TOKEN has to have 24 characters or more, without blanks" if STAFF && !STAFF.match?(/\A[!-~]{24,}\z/)
RETURN_URL = ENV["SHOP_RETURN_URL"] || "https://shop.example.com/paid"
LOCK = Mutex.new
# What must survive a crash.
STATE = File.exist?(STATE_FILE) ? JSON.parse(File.read(STATE_FILE)) : { "logins" => {}, "checkouts" => {}, "calls" => {} }

server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ENV["PORT"].to_i, Logger: WEBrick::Log.new($stderr, WEBrick::Log::ERROR),
                                 AccessLog: [], RequestTimeout: 20)
server.mount("/", Shop)
trap("TERM") { server.shutdown } # What has begun is answered before.
warn "shop: ready on port #{ENV["PORT"]}"
server.start
