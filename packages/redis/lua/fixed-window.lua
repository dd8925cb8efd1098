-- A count that starts anew. The twin of algorithms/fixed-window.ts. State: startMs, endMs, count.

kernels['fixed-window'] = function()
  -- Its start and end.
  local function currentWindow(limit, nowMs, interval)
    if interval then return interval.startMs, interval.endMs end
    local startMs = nowMs
    if limit.align == 'clock' then startMs = floor(nowMs / limit.windowMs) * limit.windowMs end
    return startMs, startMs + limit.windowMs
  end

  local fixed = {}

  function fixed.decode(startMs, lengthMs, count)
    if not count then return nil end
    local endMs = startMs + lengthMs
    -- What was counted is kept until its window's end, so that its key lives as long already.
    return { startMs = startMs, endMs = endMs, count = count, keptUntilMs = count > 0 and endMs }
  end

  function fixed.encode(state)
    return state.startMs, state.endMs - state.startMs, state.count
  end

  function fixed.fresh(limit, nowMs)
    return { startMs = nowMs, endMs = nowMs + limit.windowMs, count = 0 }
  end

  function fixed.isAhead(state, limit, nowMs, interval)
    local startMs = currentWindow(limit, nowMs, interval)
    return state.startMs > startMs
  end

  function fixed.at(state, limit, nowMs, interval)
    local startMs, endMs = currentWindow(limit, nowMs, interval)
    if state.startMs > startMs then return { startMs = startMs, endMs = endMs, count = state.count } end
    local isOver = state.startMs < startMs
    if limit.align == 'first-request' then
      local ownEndMs = state.startMs + limit.windowMs
      isOver = nowMs >= ownEndMs or state.count == 0
      if not isOver then endMs = ownEndMs end
    end
    if isOver then return { startMs = startMs, endMs = endMs, count = 0 } end
    state.endMs = endMs
    return state
  end

  function fixed.free(state, limit)
    return limit.quota - state.count
  end

  function fixed.untilMs(state, limit, units, nowMs)
    if units > limit.quota then return NEVER end
    if state.count + units <= limit.quota then return 0 end
    return state.endMs - nowMs
  end

  function fixed.spend(state, limit, units)
    state.count = state.count + min(units, max(0, 2 * limit.quota - state.count))
  end

  function fixed.giveBack(state, limit, units, nowMs, atMs)
    if state.count == 0 or (atMs ~= nil and atMs < state.startMs) then return false end
    state.count = max(0, state.count - units)
    return true
  end

  return fixed
end
