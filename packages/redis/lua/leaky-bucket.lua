-- The leaky bucket as a queue. The twin of algorithms/leaky-bucket.ts.
-- Uses: bucket

leans['leaky-bucket'] = function(text, limit, cost, nowMs)
  local isAdmitted, free, resetAfterMs, retryAfterMs, before, kept, at, forMs = leanBucket(text, limit, cost, nowMs)
  local delayMs = isAdmitted and ceil((limit.quota * limit.m - before) / limit.n) or 0
  return isAdmitted, free, resetAfterMs, retryAfterMs, delayMs, kept, at, forMs
end

kernels['leaky-bucket'] = function()
  local bucket = makeBucket()

  return {
    layout = bucket.layout,
    bytes = bucket.bytes,
    decode = bucket.decode,
    encode = bucket.encode,
    fresh = bucket.fresh,
    isAhead = bucket.isAhead,
    at = bucket.at,
    free = bucket.free,
    untilMs = bucket.untilMs,

    delayMs = function(state, limit, nowMs)
      return ceil((limit.quota * limit.m - bucket.held(state, limit, nowMs)) / limit.n)
    end,

    spend = function(state, limit, units, nowMs)
      bucket.refill(state, limit, nowMs)
      bucket.takeOut(state, limit, units)
    end,

    giveBack = function()
      return false
    end,
  }
end
