-- A count that starts anew. The twin of algorithms/fixed-window.ts. State: startMs, endMs, count.

kernels['fixed-window'] = function()
  local function latestStartMs(limit, nowMs, interval)
    if interval then return interval.startMs end
    if limit.align == 'clock' then return floor(nowMs / limit.windowMs) * limit.windowMs end
    return nowMs
  end

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

    fresh = function(limit, nowMs)
      return { startMs = nowMs, endMs = nowMs + limit.windowMs, count = 0 }
    end,

    isAhead = function(state, limit, nowMs, interval)
      return state.startMs > latestStartMs(limit, nowMs, interval)
    end,

    normalize = function(state, limit, nowMs, interval)
      local startMs, count = state.startMs, state.count
      local latestMs = latestStartMs(limit, nowMs, interval)
      local latestEndMs = interval and interval.endMs or latestMs + limit.windowMs
      if startMs > latestMs then return { startMs = latestMs, endMs = latestEndMs, count = count } end
      local isFromFirst = limit.align == 'first-request'
      local endMs = isFromFirst and startMs + limit.windowMs or latestEndMs
      local isOver = startMs < latestMs
      if isFromFirst then isOver = nowMs >= endMs or count == 0 end
      if isOver then return { startMs = latestMs, endMs = latestEndMs, count = 0 } end
      state.endMs = endMs
      return state
    end,

    available = function(state, limit)
      return limit.quota - state.count
    end,

    waitMs = function(state, limit, units, nowMs)
      if units > limit.quota then return NEVER end
      if state.count + units <= limit.quota then return 0 end
      return state.endMs - nowMs
    end,

    spend = function(state, limit, units)
      state.count = state.count + min(units, max(0, 2 * limit.quota - state.count))
    end,

    refund = function(state, limit, units, nowMs, atMs)
      if state.count == 0 or (atMs ~= nil and atMs < state.startMs) then return false end
      state.count = max(0, state.count - units)
      return true
    end,
  }
end
