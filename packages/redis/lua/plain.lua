-- The first part of consume: decides plain asks, one after another, with no more than numbers. It ends at the first ask that is not plain;
-- consume.lua decides that ask and all later ones. An ask is plain if it only spends, if its limits neither block nor count refusals, and if the
-- states of its keys are those of the same limits, and neither blocked nor from the future.
--
-- A round of plain asks has these arguments:
--   the number of asks; which functions decide its checks, a digit per check; notAfterMs; the number of checks
--   per check its cost, its margin, and its limit: the quota, three numbers (a, b and c) whose meaning the algorithm defines, and its text,
--   which only consume.lua reads
--
-- decide, or decides by the byte of the digit, is the function of an algorithm. From the text of a key (false if there is none), the quota, a, b, c,
-- the cost, the margin, whether the ask spends, and the time, it returns
--   whether it is admitted, free (negative in debt) after it, resetAfterMs, retryAfterMs (0 if it fits) and delayMs; and, if it is admitted and
--   spends, the new text: with the first changed byte, if only its end is new; otherwise with its time to live.
-- It returns nothing if a kernel is needed.

local reply, length = { nowMs, 0, 0, 0 }, 1

-- Where the next round begins, how many of its asks are decided, and how many keys they and earlier asks had.
local position, answered, keyCount = 2, 0, 0

-- By key, if several asks share the call: true if this call has written it, and the state under the limit if a kernel was used.
local opened, hasFailed = nil, false

-- Of each check of the current ask: the new text, its first byte, its time to live.
local pending = { false, false, 0 }

local kind = ARGV[3]
while kind and kind < ':' do
  local times, notAfterMs, count = ARGV[position] + 0, tonumber(ARGV[position + 2]), ARGV[position + 3] + 0
  local next = position + 4 + PLAIN_WIDTH * count
  local isPlain = not (notAfterMs and nowMs > notAfterMs)
  for at = position + 4, next - 1, PLAIN_WIDTH do
    for i = at, at + PLAIN_WIDTH - 2 do ARGV[i] = ARGV[i] + 0 end
  end
  if not opened and #KEYS > count then opened = {} end

  while isPlain and answered < times do
    -- Decides one ask, and adds its verdicts to the reply, as addVerdict writes them.
    local start, spends, i, at = length, true, 1, position + 4
    while i <= count do
      local text, cost, margin = texts[keyCount + i], ARGV[at], ARGV[at + 1]
      if opened and opened[KEYS[keyCount + i]] then text = redis.call('GET', KEYS[keyCount + i]) end
      if decides then decide = decides[string.byte(kind, i)] end
      local isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, new, from, forMs =
        decide(text, ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5], cost, margin, spends, nowMs)
      if isAdmitted == nil then
        isPlain = false
        break
      end
      if spends and not isAdmitted and count > 1 then
        -- One limit refuses, so the others must not spend: their verdicts are made again.
        spends, length, i, at = false, start, 1, position + 4
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
        i, at = i + 1, at + PLAIN_WIDTH
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
  position, answered = next, 0
  kind = ARGV[position + 1]
end
if not ARGV[position] and not hasFailed then
  return struct.pack(length == 4 and '<dddd' or '<' .. string.rep('d', length), unpack(reply, 1, length))
end
