-- The sliding window over every admitted request's time. The twin of algorithms/sliding/log.ts.
-- Uses: sliding

fastPaths['sliding-window-log'] = function(text, limit, cost, nowMs)
  return slidingFastPath(text, limit, cost, nowMs, 1)
end

kernels['sliding-window-log'] = function()
  local function one()
    return 1
  end

  return slidingKernel({
    coarsestMs = one,
    subWindowMs = one,

    most = function(limit)
      return 2 * limit.quota + 1
    end,
  })
end
