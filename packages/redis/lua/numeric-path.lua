-- Decides numeric requests, one after another, with no more than numbers. It ends at the first request that is not numeric; consume.lua decides that
-- one and all later ones. A request is numeric if it only spends, if its limits neither block nor count refusals, and if no
-- state of its keys is blocked, from the future, or of a limit with another window or period.
--
-- A round of numeric requests is one argument of bytes. Arguments cost much time, and bytes above 127 would cost the client more. So a number is two
-- fields of seven bytes: the lower halves of its bytes, and the upper halves.
--   a byte each: the number of checks (at most MOST_NUMERIC, so that no other round begins with it), the number of requests, and 1 if their costs differ
--   notAfterMs
--   per check: a byte, which is the code of its algorithm, plus MORE if two more numbers follow; a byte, which is the cost, or LONG if it
--   follows; the quota, a and b, whose meaning the function defines; and what follows: c + 1 (otherwise c is -1) and the margin plus the quota
--   (otherwise the margin is 0); the cost
--   the costs of the second request and of later ones, if costs differ, check by check: a byte, or LONG and a number
--   the limits in JSON, a line each, which only consume.lua reads
--
-- decide, or decides by its code, is the function of an algorithm. From the text of a key (false if there is none), the quota, a, b, c,
-- the cost, the margin, whether the request spends, and the time, it returns
--   whether it is admitted, free (negative in debt) after it, resetAfterMs, retryAfterMs (0 if it fits) and delayMs; and, if it is admitted and
--   spends, the new text: with the first changed byte, if only its end is new; otherwise with its time to
--   live, if that is not resetAfterMs.
-- It returns nothing if a kernel is needed.
-- Calls: margin
-- Why it is so: core/docs/why/calls-to-redis.md

-- Reads a round: puts quota, a, b, c, margin and algorithmCode of each check into numbers, and costs into costs. Returns the number of checks and of requests,
-- how far the costs of a request are from those of the request before, notAfterMs, and where the limits begin.
local function readRound(round, numbers, costs)
  local unpack = struct.unpack
  local count, times, isMixed, notAfterMs, notAfterHigh, at = unpack(ROUND_LAYOUT, round)
  for i = 1, isMixed == 1 and times * count or count do
    local cost
    if i <= count then
      local own, algorithmCode, quota, quotaHigh, a, aHigh, b, bHigh, c, cHigh, margin, marginHigh = 6 * i, nil
      algorithmCode, cost, quota, quotaHigh, a, aHigh, b, bHigh, at = unpack(CHECK_LAYOUT, round, at)
      quota, c, margin = quota + 16 * quotaHigh, -1, 0
      if algorithmCode >= MORE then
        c, cHigh, margin, marginHigh, at = unpack(MORE_LAYOUT, round, at)
        algorithmCode, c, margin = algorithmCode - MORE, c + 16 * cHigh - 1, margin + 16 * marginHigh - quota
      end
      numbers[own - 5] = quota
      numbers[own - 4] = a + 16 * aHigh
      numbers[own - 3] = b + 16 * bHigh
      numbers[own - 2] = c
      numbers[own - 1] = margin
      numbers[own] = algorithmCode
    else
      cost, at = string.byte(round, at), at + 1
    end
    if cost == LONG then
      local high
      cost, high, at = unpack(NUMBER_LAYOUT, round, at)
      cost = cost + 16 * high
    end
    costs[i] = cost
  end
  return count, times, isMixed * count, notAfterMs + 16 * notAfterHigh, at
end

local reply, length = { nowMs, 0, 0, 0 }, 1

-- Where the next round begins, how many of its requests are decided, and how many keys they and earlier requests had.
local position, answered, keyCount = 1, 0, 0

-- By key, if several requests share the call: true if this call has written it, and the state under the limit if a kernel was used.
local opened, hasFailed = nil, false

-- Of the current round, as readRound says; and of each check of the current request its new text, the first byte of it, and its time to live.
local numbers, costs, pending = { 0, 0, 0, 0, 0, 0 }, { 0 }, { 0, 0, 0 }

local keys, round = KEYS, ARGV[1]
while round and string.byte(round) <= MOST_NUMERIC do
  local count, times, step, notAfterMs = readRound(round, numbers, costs)
  local isNumeric = nowMs <= notAfterMs
  if not opened and keys[count + 1] then opened = {} end

  if count == 1 and numbers[5] == 0 then
    -- Include: single-limit-loop
  end

  while isNumeric and answered < times do
    -- Decides one request, and adds its verdicts to the reply, as addVerdict writes them.
    local start, spends, i, costAt = length, true, 1, answered * step
    while i <= count do
      local at, own, cost = keyCount + i, 6 * i, costs[costAt + i]
      local text, margin = texts[at], numbers[own - 1]
      if opened and opened[keys[at]] then text = redis.call('GET', keys[at]) end
      if decides then decide = decides[numbers[own]] end
      local isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, new, from, forMs =
        decide(text, numbers[own - 5], numbers[own - 4], numbers[own - 3], numbers[own - 2], cost, margin, spends, nowMs)
      if isAdmitted == nil then
        isNumeric = false
        break
      end
      if spends and not isAdmitted and count > 1 then
        -- One limit refuses, so the others must not spend: their verdicts are made again.
        spends, length, i = false, start, 1
      else
        if isAdmitted and spends then
          pending[3 * i - 2] = new
          pending[3 * i - 1] = from or false
          pending[3 * i] = forMs or resetAfterMs
        else
          spends = false
        end
        local what, last = isAdmitted and IS_ALLOWED or 0, length + 3
        -- Inline: const remaining = remainingUnits(free, margin)
        reply[length + 1] = what
        reply[length + 2] = remaining
        reply[last] = resetAfterMs
        if retryAfterMs ~= 0 then
          what, last = what + HAS_RETRY, last + 1
          reply[last] = retryAfterMs
        end
        if delayMs ~= 0 then
          what, last = what + HAS_DELAY, last + 1
          reply[last] = delayMs
        end
        if free ~= remaining then
          what, last = what + HAS_FREE, last + 1
          reply[last] = free
        end
        if isAdmitted and margin > 0 then
          local before = spends and free + cost or free
          -- Inline: const overQuota = unitsOverQuota(cost, before)
          if overQuota > 0 then
            what, last = what + IS_OVER_QUOTA, last + 1
            reply[last] = overQuota
          end
        end
        reply[length + 1], length = what, last
        i = i + 1
      end
    end

    if isNumeric then
      -- Writes the changed states. If one could not be written, the error takes the place of the verdicts.
      local send, failure = redis.pcall, nil
      for i = 1, spends and count or 0 do
        local key, new, from, forMs = keys[keyCount + i], pending[3 * i - 2], pending[3 * i - 1], pending[3 * i]
        if opened then opened[key] = true end
        -- Include: write-state
        if type(answer) == 'table' then failure = answer.err or failure end
      end
      if failure then
        length, hasFailed = start + 1, true
        reply[length] = failure
      end
      answered, keyCount = answered + 1, keyCount + count
    else
      length = start
    end
  end
  if answered < times then break end
  position, answered = position + 1, 0
  round = ARGV[position]
end
if not round and not hasFailed and length <= MOST_NUMBERS then
  return struct.pack('<' .. string.rep('d', length), unpack(reply, 1, length))
end
