-- The sliding window over sub-windows, and the log. The stored text begins with the numbers that a decision changes. Then come, in MessagePack, the
-- entries before the newest, each end as its distance from the one before.

local function slidingKernel()
  -- Arithmetic: sliding-window
  return {
    layout = SLIDING_LAYOUT,
    bytes = SLIDING_BYTES,

    decode = function(text, subWindowMs, windowMs, _, newest, _, newestUnits, first)
      local ends, units, used, n = {}, {}, newestUnits, 0
      if first <= #text then
        local list, last = cmsgpack.unpack(string.sub(text, first)), 0
        n = #list / 2
        for i = 1, n do
          last = last + list[2 * i - 1]
          ends[i], units[i] = last, list[2 * i] + 0
          used = used + units[i]
        end
      end
      if newestUnits > 0 then ends[n + 1], units[n + 1] = newest, newestUnits end
      -- The key lives until the newest end no longer counts.
      local keptUntilMs = used > 0 and newest + windowMs
      return { ends = ends, units = units, used = used, subWindowMs = subWindowMs, windowMs = windowMs, unchanged = 0, keptUntilMs = keptUntilMs }
    end,

    encode = function(state)
      local ends, n = state.ends, #state.ends
      return state.subWindowMs, state.windowMs, ends[1] or 0, ends[n] or 0, state.used, state.units[n] or 0
    end,

    rest = function(state)
      local ends, units = state.ends, state.units
      if #ends < 2 then return '' end
      local list, last = {}, 0
      for i = 1, #ends - 1 do
        list[2 * i - 1], list[2 * i] = ends[i] - last, units[i]
        last = ends[i]
      end
      return cmsgpack.pack(list)
    end,

    fresh = fresh,
    isAhead = isAhead,
    normalize = normalize,
    available = available,
    waitMs = waitMs,
    spend = spend,
    refund = refund,
    retentionMs = retentionMs,
  }
end
