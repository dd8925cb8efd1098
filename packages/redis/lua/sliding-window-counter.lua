-- Two counters of clock-aligned windows.

kernels['sliding-window-counter'] = function()
  -- Arithmetic: sliding-window-counter
  return {
    layout = COUNTER_LAYOUT,
    bytes = COUNTER_BYTES,

    decode = function(_, startMs, previous, current)
      return { startMs = startMs, previous = previous, current = current }
    end,

    encode = function(state)
      return state.startMs, state.previous, state.current
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
