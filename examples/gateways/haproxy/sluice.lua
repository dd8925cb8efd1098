-- `http-request lua.sluice POLICY open|closed` asks Sluice about a request, `http-response lua.sluice_fields` adds its fields.

local SLUICE = 'http://127.0.0.1:8079/v1/forward-auth/'

-- The fields that your policies read: of keys, tiers and costs. Sluice gets no other field of a client.
local READ = { 'x-api-key' }

local FIELDS = { 'ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset' }
local OF_REFUSALS = { 'retry-after', 'content-type', 'cache-control' }
local REFUSALS = { [400] = true, [401] = true, [403] = true, [429] = true, [503] = true }
local PROBLEM = 'application/problem+json'

-- haproxy.cfg sets it if the service gave no answer in time. Everything else that is no decision is refused, since a client could
-- cause it, and so is 404 for an unknown policy.
local NO_ANSWER = 'sluice-no-answer'

local UNDECIDED = '{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Temporary Reduced Capacity","status":503,"detail":"The service cannot answer this request at the moment. Try again soon."}'

local function field(answer, name)
  local values = answer.headers and answer.headers[name]
  return values and values[0]
end

-- Answers in place of the application, with some of these fields.
local function refuse(txn, status, body, fields, names)
  local reply = txn:reply { status = status, body = body }
  for _, name in ipairs(names) do
    if fields[name] then reply:add_header(name, fields[name]) end
  end
  txn:done(reply)
end

core.register_action('sluice', { 'http-req' }, function(txn, policy, otherwise)
  local headers = {
    ['x-forwarded-for'] = { txn.f:src() },
    ['x-forwarded-method'] = { txn.f:method() },
    ['x-forwarded-uri'] = { txn.f:pathq() },
    ['x-forwarded-host'] = { txn.f:req_fhdr('host') },
    ['sluice-request-id'] = { txn.f:uuid() }, -- a repeated call counts once
  }
  for _, name in ipairs(READ) do
    local value = txn.f:req_fhdr(name)
    headers[name] = { value }
    -- The application gets what was counted, and nothing else: a client may send the field twice.
    if value then txn.http:req_set_header(name, value) end
  end
  local answer = core.httpclient():get { url = SLUICE .. policy, headers = headers, timeout = 500 } or {}
  local status = answer.status or 0

  local fields = {}
  for _, name in ipairs(FIELDS) do fields[name] = field(answer, name) end
  if status >= 200 and status < 300 then
    txn:set_priv(fields)
  elseif REFUSALS[status] and field(answer, 'content-type') == PROBLEM then
    for _, name in ipairs(OF_REFUSALS) do fields[name] = field(answer, name) end
    local names = { table.unpack(FIELDS) }
    for _, name in ipairs(OF_REFUSALS) do table.insert(names, name) end
    refuse(txn, status, answer.body, fields, names)
  else
    local opens = otherwise == 'open' and field(answer, NO_ANSWER)
    txn:Warning(('sluice: %s did not decide (%d): %s'):format(policy, status, opens and 'passed' or 'refused'))
    if not opens then
      refuse(txn, 503, UNDECIDED, { ['content-type'] = PROBLEM, ['cache-control'] = 'no-store' }, OF_REFUSALS)
    end
  end
end, 2)

core.register_action('sluice_fields', { 'http-res' }, function(txn)
  for name, value in pairs(txn:get_priv() or {}) do txn.http:res_set_header(name, value) end
end)
