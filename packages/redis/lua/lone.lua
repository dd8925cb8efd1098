-- The first part of consume: decides a call of one plain ask about one limit, as plain.lua would, without its tables and loops. It leaves to plain.lua
-- what takes more numbers, in the ask or in the reply. Nothing is written then, so plain.lua decides the ask anew from the same text.

if decide and KEYS[1] and not KEYS[2] and not ARGV[2] then
  local low, high, digit, quota, quotaHigh, a, aHigh, b, bHigh, cost = struct.unpack(LONE_LAYOUT, ARGV[1])
  if digit < MORE and cost < LONG and nowMs <= low + 16 * high then
    local isAdmitted, free, resetAfterMs, retryAfterMs, _, new, from, forMs =
      decide(text, quota + 16 * quotaHigh, a + 16 * aHigh, b + 16 * bHigh, -1, cost, 0, true, nowMs)
    if free and free >= 0 then
      if isAdmitted then
        -- An error ends the call, which is that of the ask.
        local send, key = redis.call, KEYS[1]
        forMs = forMs or resetAfterMs
        -- Include: write-plain
      end
      if retryAfterMs == 0 then return struct.pack('<dddd', nowMs, 1, free, resetAfterMs) end
      return struct.pack('<ddddd', nowMs, isAdmitted and 3 or 2, free, resetAfterMs, retryAfterMs)
    end
  end
end
