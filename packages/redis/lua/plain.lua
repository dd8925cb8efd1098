-- The first part of consume: decides plain asks, one after another, with no more than numbers. It ends at the first ask that is not plain;
-- consume.lua decides that ask and all later ones. An ask is plain if it only spends, if its limits neither block nor count refusals, and if the
-- states of its keys are those of the same limits, and neither blocked nor from the future.
--
-- A round of plain asks has one argument of bytes, and after it the text of each limit, which only consume.lua reads. Arguments cost much time, and
-- bytes above 127 would cost the client more. So a number is two fields of seven bytes: the lower halves of its bytes, and the upper halves.
--   a byte each: the number of checks (at most MOST_PLAIN, so that no other round begins with it), the number of asks, and 1 if their costs differ
--   notAfterMs, 0 if there is none
--   per check: a byte, which is the digit of the function that decides, plus MORE if two more numbers follow; the quota, a and b, whose meaning the
--   function defines; and, if they follow, c + 1 (otherwise c is -1) and the margin plus the quota (otherwise the margin is 0)
--   per check of the first ask, or of every ask, its cost: a byte, or LONG and a number
--
-- decide, or decides by its digit, is the function of an algorithm. From the text of a key (false if there is none), the quota, a, b, c,
-- the cost, the margin, whether the ask spends, and the time, it returns
--   whether it is admitted, free (negative in debt) after it, resetAfterMs, retryAfterMs (0 if it fits) and delayMs; and, if it is admitted and
--   spends, the new text: with the first changed byte, if only its end is new; otherwise with its time to live.
-- It returns nothing if a kernel is needed.

local reply, length = { nowMs, 0, 0, 0 }, 1

-- Where the next round begins, how many of its asks are decided, and how many keys they and earlier asks had.
local position, answered, keyCount = 2, 0, 0

-- By key, if several asks share the call: true if this call has written it, and the state under the limit if a kernel was used.
local opened, hasFailed = nil, false

-- Of each check of the current ask: its function, quota, a, b, c, margin and cost; then the new text, its first byte, its time to live.
local numbers, pending = { 0, 0, 0, 0, 0, 0, 0 }, { false, false, 0 }

local round = ARGV[2]
while round and string.byte(round) <= MOST_PLAIN do
  local count, times, isMixed, low, high, at = struct.unpack('<BBBi7i7', round)
  local notAfterMs = low + 16 * high
  local isPlain = notAfterMs == 0 or nowMs <= notAfterMs
  for i = 1, 7 * count, 7 do
    local digit, quota, quotaHigh, a, aHigh, b, bHigh, c, cHigh, margin, marginHigh
    digit, quota, quotaHigh, a, aHigh, b, bHigh, at = struct.unpack('<Bi7i7i7i7i7i7', round, at)
    numbers[i + 1], numbers[i + 2], numbers[i + 3] = quota + 16 * quotaHigh, a + 16 * aHigh, b + 16 * bHigh
    if digit < MORE then
      numbers[i], numbers[i + 4], numbers[i + 5] = digit, -1, 0
    else
      c, cHigh, margin, marginHigh, at = struct.unpack('<i7i7i7i7', round, at)
      numbers[i], numbers[i + 4], numbers[i + 5] = digit - MORE, c + 16 * cHigh - 1, margin + 16 * marginHigh - numbers[i + 1]
    end
  end
  if not opened and #KEYS > count then opened = {} end

  while isPlain and answered < times do
    if answered == 0 or isMixed == 1 then
      for i = 7, 7 * count, 7 do
        local cost = string.byte(round, at)
        at = at + 1
        if cost == LONG then
          low, high, at = struct.unpack('<i7i7', round, at)
          cost = low + 16 * high
        end
        numbers[i] = cost
      end
    end

    -- Decides one ask, and adds its verdicts to the reply, as addVerdict writes them.
    local start, spends, i = length, true, 1
    while i <= count do
      local text, own = texts[keyCount + i], 7 * i - 6
      local margin, cost = numbers[own + 5], numbers[own + 6]
      if opened and opened[KEYS[keyCount + i]] then text = redis.call('GET', KEYS[keyCount + i]) end
      if decides then decide = decides[numbers[own]] end
      local isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, new, from, forMs =
        decide(text, numbers[own + 1], numbers[own + 2], numbers[own + 3], numbers[own + 4], cost, margin, spends, nowMs)
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
        reply[length + 2], reply[last] = remaining, resetAfterMs
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
      local failure
      for i = 1, spends and count or 0 do
        local key, new, from, forMs, answer = KEYS[keyCount + i], pending[3 * i - 2], pending[3 * i - 1], pending[3 * i], nil
        if opened then opened[key] = true end
        if from then
          answer = redis.pcall('SETRANGE', key, from, new)
          if leastTtlMs > 0 then redis.call('PEXPIRE', key, max(forMs, leastTtlMs)) end
        else
          -- A number is passed as text in a third of the time.
          answer = redis.pcall('SET', key, new, 'PX', string.format('%d', max(forMs, leastTtlMs)))
        end
        failure = type(answer) == 'table' and answer.err or failure
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
  position, answered = position + 1 + count, 0
  round = ARGV[position]
end
if not ARGV[position] and not hasFailed and length <= MOST_NUMBERS then
  return struct.pack(length == 4 and '<dddd' or '<' .. string.rep('d', length), unpack(reply, 1, length))
end
