-- The leaky bucket with a queue. The twin of algorithms/buckets/leaky.ts.
-- Uses: bucket

-- The delay of a bucket with this content.
local function leakyDelayMs(limit, held)
  local units = (limit.quota - (limit.immediate or 0)) * limit.m - held
  return units <= 0 and 0 or ceil(units / limit.n)
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
      return leakyDelayMs(limit, bucket.held(state, limit, nowMs))
    end,

    spend = function(state, limit, units, nowMs)
      bucket.refill(state, limit, nowMs)
      bucket.takeOut(state, limit, units)
    end,

    refund = function()
      return false
    end,

    retentionMs = function(state, limit, nowMs)
      local largest = bucket.largest(state, limit)
      return largest and bucket.waitMs(state, largest, largest.quota, nowMs)
    end,
  }
end
