-- Decides: token-bucket leaky-bucket
-- How continuous buckets are read and written. a and b are refillUnits and refillPeriodMs; c is how many places of a leaky bucket leave without a
-- delay, and -1 of a token bucket.
-- Calls: token-bucket leaky-bucket margin
-- State: level part refillUnits=ownUnits refillPeriodMs=periodMs capacity timeMs
-- Limit: quota refillUnits refillPeriodMs=periodMs immediate byInterval=nil keepForMs=nil

local function numericBucket(text, quota, refillUnits, periodMs, immediate, cost, margin, spends, nowMs)
  local level, part, ownUnits, capacity, timeMs
  local waits = 0
  -- Inline: const known = knownUnits(limit)
  if text then
    if #text ~= BUCKET_BYTES then return nil end
    local version, ownPeriodMs, rate, units
    version, ownPeriodMs, rate, units, timeMs = struct.unpack(BUCKET_LAYOUT, text)
    if version ~= FORMAT or ownPeriodMs ~= periodMs then return nil end
    -- Include: bucket-rate
    part = units % periodMs
    level = (units - part) / periodMs
    -- Inline: if (isBucketAhead(state, limit, nowMs)) return
    -- Inline: state = normalize(state, limit, nowMs)
  else
    -- Inline: state = fullBucket(limit, nowMs)
  end
  if immediate >= 0 then
    -- Inline: waits = delayMs(state, limit, nowMs)
  end
  -- Include: numeric-decision
  local forMs
  if not isAdmitted then waits = 0 end
  if isSpent then
    -- Inline: forMs = retentionMs(state, limit, nowMs)
    local rate = ownUnits + 1
    if capacity > 0 then rate = -(capacity * BESIDE + rate) end
    text = struct.pack(BUCKET_LAYOUT, FORMAT, periodMs, rate, level * periodMs + part, nowMs)
  end
  return isAdmitted, free, resetAfterMs, retryAfterMs, waits, text, nil, forMs
end
