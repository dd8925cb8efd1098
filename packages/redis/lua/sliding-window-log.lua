-- The sliding window over every admitted request's time. The twin of algorithms/sliding/log.ts.
-- Uses: sliding

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
