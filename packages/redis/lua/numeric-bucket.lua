-- Decides: token-bucket leaky-bucket
-- Continuous buckets, as bucket.lua decides them. a and b are refillUnits and refillPeriodMs; c is how many places of a leaky bucket leave without a
-- delay, and -1 of a token bucket.

local function numericBucket(text, quota, refillUnits, periodMs, immediate, cost, margin, spends, nowMs)
  local floor, ceil = math.floor, math.ceil
  local full = quota * periodMs
  local before, rate = full, refillUnits + 1
  if rate < BESIDE and quota > 0 and quota <= LARGEST_CAPACITY then rate = -(quota * BESIDE + rate) elseif rate >= LEAST_TIME then rate = 0 end
  if text then
    if #text ~= BUCKET_BYTES then return nil end
    local version, ownPeriodMs, ownRate, units, timeMs = struct.unpack(BUCKET_LAYOUT, text)
    if version ~= FORMAT or ownPeriodMs ~= periodMs or ownRate ~= rate or timeMs > nowMs or units > full or units < -full then return nil end
    before = units + (nowMs - timeMs) * refillUnits
    if before > full then before = full end
  end
  local free, now = floor(before / periodMs), before
  local isAdmitted = cost <= quota and cost <= free + margin
  local isSpent = isAdmitted and spends
  if isSpent then free, now = free - cost, before - cost * periodMs end
  local needed, resetAfterMs, retryAfterMs, delayMs = cost, 0, 0, 0
  if margin < 0 then needed = cost - margin end
  if free < quota then resetAfterMs = ceil((full - now) / refillUnits) end
  if needed > quota then retryAfterMs = NEVER elseif needed > free then retryAfterMs = ceil((needed * periodMs - now) / refillUnits) end
  if isSpent then text = struct.pack(BUCKET_LAYOUT, FORMAT, periodMs, rate, now, nowMs) end
  if immediate >= 0 and isAdmitted then delayMs = math.max(0, ceil(((quota - immediate) * periodMs - before) / refillUnits)) end
  return isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, text
end
