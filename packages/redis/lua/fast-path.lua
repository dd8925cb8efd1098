-- The first part of consume: decides asks in the short form whose limits need no kernel, one after another. It ends at the first ask that
-- needs one. consume.lua decides that ask and all later ones.

local reply, length = { nowMs }, 1

-- By key: true if this call has written it, and the state under the limit if a kernel was used.
local opened = {}

-- Where the next round begins, how many of its asks are decided, and how many keys they and earlier asks had.
local position, answered, keyCount = 2, 0, 0

-- The data of the current ask, check by check; the last three are to be written: the text, its first byte, its time to live.
local roundLimits, costs, kept, ats, forsMs = {}, {}, {}, {}, {}

while ARGV[position] and ARGV[position + 1] == 'short' do
  -- Reads the round.
  local times, notAfterMs, count = ARGV[position] + 0, tonumber(ARGV[position + 2]), ARGV[position + 3] + 0
  local isFast = count > 0 and not (notAfterMs and nowMs > notAfterMs)
  for i = 1, count do
    local limit, cost = limitAt(position + 2 * i + 2, limits, nowMs), ARGV[position + 2 * i + 3] + 0
    roundLimits[i], costs[i] = limit, cost
    isFast = isFast and limit.fastPath and cost > 0
  end

  while isFast and answered < times do
    -- Decides one ask, and adds its verdicts to the reply, as addVerdict writes them.
    local start = length
    for i = 1, count do
      local key, limit = KEYS[keyCount + i], roundLimits[i]
      local before = opened[key] and redis.call('GET', key) or texts[keyCount + i]
      local isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, text, at, forMs = limit.fastPath(before, limit, costs[i], nowMs)
      -- If there are several limits, the others must not spend.
      if not isAdmitted and (isAdmitted == nil or count > 1) then
        isFast = false
        break
      end
      kept[i], ats[i], forsMs[i] = isAdmitted and text, at, forMs or resetAfterMs
      local what = isAdmitted and 1 or 0
      reply[length + 2], reply[length + 3] = free, resetAfterMs
      local last = length + 3
      if retryAfterMs ~= 0 then
        what, last = what + 2, last + 1
        reply[last] = retryAfterMs
      end
      if delayMs ~= 0 then
        what, last = what + 4, last + 1
        reply[last] = delayMs
      end
      if free < 0 then
        what, last = what + 8, last + 1
        reply[length + 2], reply[last] = 0, free
      end
      reply[length + 1], length = what, last
    end

    -- Writes the changed states.
    local failure
    for i = 1, isFast and count or 0 do
      local text, at, key = kept[i], ats[i], KEYS[keyCount + i]
      if text then
        local answer
        opened[key] = true
        if at then
          answer = redis.pcall('SETRANGE', key, at, text)
          if leastTtlMs > 0 then redis.call('PEXPIRE', key, max(forsMs[i], leastTtlMs)) end
        else
          -- A number is passed as text in a third of the time.
          answer = redis.pcall('SET', key, text, 'PX', string.format('%d', max(forsMs[i], leastTtlMs)))
        end
        failure = type(answer) == 'table' and answer.err or failure
      end
    end

    -- Removes its verdicts if it needs a kernel, or if it could not be written.
    if failure or not isFast then
      for i = start + 1, length do reply[i] = nil end
      length = start
    end
    if failure then
      length = length + 1
      reply[length] = failure
    end
    if isFast then answered, keyCount = answered + 1, keyCount + count end
  end
  if answered < times then break end
  position, answered = position + 4 + 2 * count, 0
end
if not ARGV[position] then return reply end
