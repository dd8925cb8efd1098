-- The leaky bucket as a queue. The twin of algorithms/buckets/leaky.ts.
-- Uses: bucket

fastPaths['leaky-bucket'] = function(text, limit, cost, nowMs)
  local isAdmitted, free, resetAfterMs, retryAfterMs, before, kept, at, forMs = bucketFastPath(text, limit, cost, nowMs)
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
    normalize = bucket.normalize,
    available = bucket.available,
    waitMs = bucket.waitMs,

    delayMs = function(state, limit, nowMs)
      return ceil((limit.quota * limit.m - bucket.held(state, limit, nowMs)) / limit.n)
    end,

    spend = function(state, limit, units, nowMs)
      bucket.refill(state, limit, nowMs)
      bucket.takeOut(state, limit, units)
    end,

    refund = function()
      return false
    end,
  }
end
