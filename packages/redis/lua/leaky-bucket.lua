-- The leaky bucket as a queue. The twin of algorithms/leaky-bucket.ts.

kernels['leaky-bucket'] = function()
  local bucket = makeBucket()

  return {
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
