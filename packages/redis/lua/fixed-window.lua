-- A count that starts anew.

kernels['fixed-window'] = function()
  -- Arithmetic: fixed-window
  return {
    layout = FIXED_LAYOUT,
    bytes = FIXED_BYTES,

    decode = function(_, startMs, lengthMs, count)
      local endMs = startMs + lengthMs
      -- A count is kept until the end of its window, so the key already lives long enough.
      return { startMs = startMs, endMs = endMs, count = count, keptUntilMs = count > 0 and endMs }
    end,

    encode = function(state)
      return state.startMs, state.endMs - state.startMs, state.count
    end,

    fresh = fresh,
    isAhead = isAhead,
    normalize = normalize,
    available = available,
    waitMs = waitMs,
    spend = spend,
    refund = refund,
  }
end
