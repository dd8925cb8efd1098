-- The sliding window over sub-windows. The twin of algorithms/sliding-window.ts.

local function coarsestMs(limit)
  return ceil(limit.windowMs / limit.buckets)
end

local function subWindowMs(limit)
  if limit.quota <= limit.buckets then return 1 end
  return coarsestMs(limit)
end

leans['sliding-window'] = function(text, limit, cost, nowMs)
  return leanSliding(text, limit, cost, nowMs, subWindowMs(limit))
end

kernels['sliding-window'] = function()
  return slidingKernel({
    coarsestMs = coarsestMs,
    grainMs = subWindowMs,

    most = function(limit)
      return limit.buckets + 1
    end,
  })
end
