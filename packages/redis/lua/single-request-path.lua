-- The first part of consume: decides a call of one numeric request, as numeric-path.lua would, without reading it into tables. It leaves to
-- numeric-path.lua what takes more numbers, in the request or in the reply, and a request of which one of several limits refuses. Nothing is written then, so
-- numeric-path.lua decides it anew. Without it, a decision of one caller takes 1.2 to 1.3 times as long in the command (`npm run bench -- redis`).
-- Why it is so: core/docs/why/calls-to-redis.md

if KEYS[1] and not ARGV[2] then
  local round, send = ARGV[1], redis.call
  local count, times, low, high, algorithmCode, cost, quota, quotaHigh, a, aHigh, b, bHigh, at = struct.unpack(SINGLE_REQUEST_LAYOUT, round)
  local isSimple = times == 1 and nowMs <= low + 16 * high

  if count == 1 and decide and isSimple and algorithmCode < MORE and cost < LONG then
    local isAdmitted, free, resetAfterMs, retryAfterMs, _, new, from, forMs =
      decide(text, quota + 16 * quotaHigh, a + 16 * aHigh, b + 16 * bHigh, -1, cost, 0, true, nowMs)
    if free and free >= 0 then
      if isAdmitted then
        local key = KEYS[1]
        forMs = forMs or resetAfterMs
        -- Include: write-state
      end
      if retryAfterMs == 0 then return struct.pack('<dddd', nowMs, 1, free, resetAfterMs) end
      return struct.pack('<ddddd', nowMs, isAdmitted and 3 or 2, free, resetAfterMs, retryAfterMs)
    end
  elseif count > 1 and count <= FEW and isSimple then
    -- The new text of each key, its first byte, and its time to live.
    local reply, pending, i = { nowMs, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 1
    while isSimple and i <= count do
      if i > 1 then algorithmCode, cost, quota, quotaHigh, a, aHigh, b, bHigh, at = struct.unpack(CHECK_LAYOUT, round, at) end
      isSimple = algorithmCode < MORE and cost < LONG
      if isSimple then
        if decides then decide = decides[algorithmCode] end
        local isAdmitted, free, resetAfterMs, retryAfterMs, _, new, from, forMs =
          decide(redis.pcall('GET', KEYS[i]), quota + 16 * quotaHigh, a + 16 * aHigh, b + 16 * bHigh, -1, cost, 0, true, nowMs)
        isSimple = isAdmitted and retryAfterMs == 0
        if isSimple then
          local own = 3 * i
          reply[own - 1], reply[own], reply[own + 1] = 1, free, resetAfterMs
          pending[own - 2], pending[own - 1], pending[own] = new, from, forMs or resetAfterMs
        end
      end
      i = i + 1
    end
    if isSimple then
      for i = 1, count do
        local key, new, from, forMs = KEYS[i], pending[3 * i - 2], pending[3 * i - 1], pending[3 * i]
        -- Include: write-state
      end
      return struct.pack(count == 2 and '<ddddddd' or '<dddddddddd', unpack(reply, 1, 3 * count + 1))
    end
  end
end
