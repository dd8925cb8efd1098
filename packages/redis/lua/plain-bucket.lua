-- Decides: token-bucket leaky-bucket
-- Continuous buckets, as bucket.lua decides them. a and b are refillUnits and refillPeriodMs; c is how many places of a leaky bucket leave without a
-- delay, and -1 of a token bucket.

local function plainBucket(text, quota, n, m, immediate, cost, margin, spends, nowMs)
  local floor, ceil = math.floor, math.ceil
  local full = quota * m
  local before, rate = full, n + 1
  if rate < BESIDE and quota > 0 and quota <= LARGEST_CAPACITY then rate = -(quota * BESIDE + rate) elseif rate >= LEAST_TIME then rate = 0 end
  if text then
    if #text ~= BUCKET_BYTES then return nil end
    local version, ownM, ownRate, units, timeMs = struct.unpack(BUCKET_LAYOUT, text)
    if version ~= FORMAT or ownM ~= m or ownRate ~= rate or timeMs > nowMs or units > full or units < -full then return nil end
    before = units + (nowMs - timeMs) * n
    if before > full then before = full end
  end
  local free, now = floor(before / m), before
  local isAdmitted = cost <= quota and cost <= free + margin
  local isSpent = isAdmitted and spends
  if isSpent then free, now = free - cost, before - cost * m end
  local needed, resetAfterMs, retryAfterMs, delayMs = cost, 0, 0, 0
  if margin < 0 then needed = cost - margin end
  if free < quota then resetAfterMs = ceil((full - now) / n) end
  if needed > quota then retryAfterMs = NEVER elseif needed > free then retryAfterMs = ceil((needed * m - now) / n) end
  if isSpent then text = struct.pack(BUCKET_LAYOUT, FORMAT, m, rate, now, nowMs) end
  if immediate >= 0 and isAdmitted then delayMs = math.max(0, ceil(((quota - immediate) * m - before) / n)) end
  return isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, text
end
