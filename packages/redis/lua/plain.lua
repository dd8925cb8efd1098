-- Decides plain asks, one after another, with no more than numbers. It ends at the first ask that is not plain; consume.lua decides that ask and
-- all later ones. An ask is plain if it only spends, if its limits neither block nor count refusals, and if the
-- states of its keys are those of the same limits, and neither blocked nor from the future.
--
-- A round of plain asks is one argument of bytes. Arguments cost much time, and bytes above 127 would cost the client more. So a number is two
-- fields of seven bytes: the lower halves of its bytes, and the upper halves.
--   a byte each: the number of checks (at most MOST_PLAIN, so that no other round begins with it), the number of asks, and 1 if their costs differ
--   notAfterMs
--   per check: a byte, which is the digit of the function that decides, plus MORE if two more numbers follow; the quota, a and b, whose meaning the
--   function defines; and, if they follow, c + 1 (otherwise c is -1) and the margin plus the quota (otherwise the margin is 0)
--   per check of the first ask, or of every ask, its cost: a byte, or LONG and a number
--   the limits in JSON, a line each, which only consume.lua reads
--
-- decide, or decides by its digit, is the function of an algorithm. From the text of a key (false if there is none), the quota, a, b, c,
-- the cost, the margin, whether the ask spends, and the time, it returns
--   whether it is admitted, free (negative in debt) after it, resetAfterMs, retryAfterMs (0 if it fits) and delayMs; and, if it is admitted and
--   spends, the new text: with the first changed byte, if only its end is new; otherwise with its time to live.
-- It returns nothing if a kernel is needed.

-- Reads a round: puts quota, a, b, c, margin and digit of each check into numbers, and the costs into costs. Returns the number of checks and of asks,
-- how far the costs of an ask are from those of the ask before, notAfterMs, and where the limits begin.
local function readRound(round, numbers, costs)
  local unpack, byte = struct.unpack, string.byte
  local count, times, isMixed, low, high, at = unpack(ROUND_LAYOUT, round)
  local notAfterMs = low + 16 * high
  for i = 1, 6 * count, 6 do
    local digit, quota, quotaHigh, a, aHigh, b, bHigh, c, cHigh, margin, marginHigh
    digit, quota, quotaHigh, a, aHigh, b, bHigh, at = unpack(CHECK_LAYOUT, round, at)
    quota = quota + 16 * quotaHigh
    numbers[i], numbers[i + 1], numbers[i + 2] = quota, a + 16 * aHigh, b + 16 * bHigh
    if digit < MORE then
      numbers[i + 3], numbers[i + 4], numbers[i + 5] = -1, 0, digit
    else
      c, cHigh, margin, marginHigh, at = unpack(MORE_LAYOUT, round, at)
      numbers[i + 3], numbers[i + 4], numbers[i + 5] = c + 16 * cHigh - 1, margin + 16 * marginHigh - quota, digit - MORE
    end
  end
  local step = isMixed * count
  for i = 1, isMixed == 1 and times * count or count do
    local cost = byte(round, at)
    at = at + 1
    if cost == LONG then
      low, high, at = unpack(NUMBER_LAYOUT, round, at)
      cost = low + 16 * high
    end
    costs[i] = cost
  end
  return count, times, step, notAfterMs, at
end

local reply, length = { nowMs }, 1

-- Where the next round begins, how many of its asks are decided, and how many keys they and earlier asks had.
local position, answered, keyCount = 1, 0, 0

-- By key, if several asks share the call: true if this call has written it, and the state under the limit if a kernel was used.
local opened, hasFailed = nil, false

-- Of the current round, as readRound says; and of each check of the current ask its new text, the first byte of it, and its time to live.
local numbers, costs, pending = {}, {}, {}

local keys, round = KEYS, ARGV[1]
while round and string.byte(round) <= MOST_PLAIN do
  local count, times, step, notAfterMs = readRound(round, numbers, costs)
  local isPlain = nowMs <= notAfterMs
  if not opened and keys[count + 1] then opened = {} end

  while isPlain and answered < times do
    -- Decides one ask, and adds its verdicts to the reply, as addVerdict writes them.
    local start, spends, i, costAt = length, true, 1, answered * step
    while i <= count do
      local at, own, cost = keyCount + i, 6 * i, costs[costAt + i]
      local text, margin = texts[at], numbers[own - 1]
      if opened and opened[keys[at]] then text = redis.call('GET', keys[at]) end
      if decides then decide = decides[numbers[own]] end
      local isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, new, from, forMs =
        decide(text, numbers[own - 5], numbers[own - 4], numbers[own - 3], numbers[own - 2], cost, margin, spends, nowMs)
      if isAdmitted == nil then
        isPlain = false
        break
      end
      if spends and not isAdmitted and count > 1 then
        -- One limit refuses, so the others must not spend: their verdicts are made again.
        spends, length, i = false, start, 1
      else
        if isAdmitted and spends then
          pending[3 * i - 2], pending[3 * i - 1], pending[3 * i] = new, from, forMs or resetAfterMs
        else
          spends = false
        end
        local what, remaining, last = isAdmitted and 1 or 0, free, length + 3
        if margin < 0 then remaining = free + margin end
        if remaining < 0 then remaining = 0 end
        reply[length + 1], reply[length + 2], reply[last] = what, remaining, resetAfterMs
        if retryAfterMs ~= 0 then
          what, last = what + 2, last + 1
          reply[last] = retryAfterMs
        end
        if delayMs ~= 0 then
          what, last = what + 4, last + 1
          reply[last] = delayMs
        end
        if free ~= remaining then
          what, last = what + 8, last + 1
          reply[last] = free
        end
        if isAdmitted and margin > 0 then
          local overQuota = cost - max(0, spends and free + cost or free)
          if overQuota > 0 then
            what, last = what + 16, last + 1
            reply[last] = overQuota
          end
        end
        reply[length + 1], length = what, last
        i = i + 1
      end
    end

    if isPlain then
      -- Writes the changed states. If one could not be written, the error takes the place of the verdicts.
      local send, failure = redis.pcall, nil
      for i = 1, spends and count or 0 do
        local key, new, from, forMs = keys[keyCount + i], pending[3 * i - 2], pending[3 * i - 1], pending[3 * i]
        if opened then opened[key] = true end
        -- Include: write-plain
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
