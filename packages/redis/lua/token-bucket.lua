-- The token bucket, continuous or by interval. The twin of algorithms/buckets/token.ts.
-- Uses: bucket

kernels['token-bucket'] = function()
  local bucket = makeBucket()
  local interval = {
    level = function(state, limit, nowMs)
      return min(limit.quota, state.level + floor((nowMs - state.timeMs) / limit.m) * limit.n)
    end,
  }

  function interval.waitMs(state, limit, units, nowMs)
    if units > limit.quota then return NEVER end
    local level = interval.level(state, limit, nowMs)
    if level >= units then return 0 end
    local elapsedMs = nowMs - state.timeMs
    return ceil((units - level) / limit.n) * limit.m - (elapsedMs - floor(elapsedMs / limit.m) * limit.m)
  end

  function interval.refill(state, limit, nowMs)
    local level = interval.level(state, limit, nowMs)
    local periods = floor((nowMs - state.timeMs) / limit.m)
    bucket.noteLimit(state, limit, (state.level + periods * limit.n) * limit.m)
    if level == limit.quota then
      state.timeMs = nowMs
    else
      state.timeMs = state.timeMs + periods * limit.m
    end
    state.level = level
  end

  local function available(state, limit, nowMs)
    if limit.byInterval then return interval.level(state, limit, nowMs) end
    return bucket.available(state, limit, nowMs)
  end

  local function refillTo(state, limit, nowMs)
    if limit.byInterval then interval.refill(state, limit, nowMs) else bucket.refill(state, limit, nowMs) end
  end

  local function refilledSince(state, limit, atMs, nowMs)
    if not limit.byInterval then return max(0, nowMs - atMs) * limit.n end
    local lastMs, ends = state.timeMs + floor((nowMs - state.timeMs) / limit.m) * limit.m, 0
    if lastMs > atMs then ends = 1 + floor((lastMs - atMs - 1) / limit.m) end
    return ends * limit.n * limit.m
  end

  local function waitMs(state, limit, units, nowMs)
    if limit.byInterval then return interval.waitMs(state, limit, units, nowMs) end
    return bucket.waitMs(state, limit, units, nowMs)
  end

  return {
    layout = bucket.layout,
    bytes = bucket.bytes,
    decode = bucket.decode,
    encode = bucket.encode,
    fresh = bucket.fresh,
    isAhead = bucket.isAhead,
    available = available,

    normalize = function(state, limit, nowMs)
      if limit.keepForMs and nowMs - state.timeMs >= limit.keepForMs then return bucket.fresh(limit, nowMs) end
      return bucket.normalize(state, limit, nowMs)
    end,

    waitMs = waitMs,

    spend = function(state, limit, units, nowMs)
      refillTo(state, limit, nowMs)
      bucket.takeOut(state, limit, units)
    end,

    refund = function(state, limit, units, nowMs, atMs, _, isUnspent)
      if available(state, limit, nowMs) >= limit.quota then return false end
      local parts = min(units, 2 * limit.quota) * limit.m
      if isUnspent and atMs then parts = parts - refilledSince(state, limit, atMs, nowMs) end
      if parts <= 0 then return false end
      refillTo(state, limit, nowMs)
      bucket.putIn(state, limit, parts)
      return true
    end,

    retentionMs = function(state, limit, nowMs)
      local largest = bucket.largest(state, limit)
      if limit.keepForMs then return state.level >= (largest or limit).quota and 0 or state.timeMs + limit.keepForMs - nowMs end
      return largest and waitMs(state, largest, largest.quota, nowMs)
    end,
  }
end
