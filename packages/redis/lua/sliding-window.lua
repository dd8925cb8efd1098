-- The sliding window over sub-windows. The twin of algorithms/sliding/window.ts.
-- Uses: sliding

local function coarsestMs(limit)
  return ceil(limit.windowMs / limit.buckets)
end

local function isFine(limit)
  return limit.quota <= limit.buckets and not limit.coarse
end

local function subWindowMs(limit)
  if isFine(limit) then return 1 end
  return coarsestMs(limit)
end

kernels['sliding-window'] = function()
  return slidingKernel({
    coarsestMs = coarsestMs,
    subWindowMs = subWindowMs,

    most = function(limit)
      return (isFine(limit) and max(limit.buckets, 2 * limit.quota) or limit.buckets) + 1
    end,
  })
end
