-- Two counters of clock-aligned windows. The twin of algorithms/sliding-window-counter.ts. State: startMs, previous, current.

kernels['sliding-window-counter'] = function()
  local function startOf(timeMs, windowMs)
    return floor(timeMs / windowMs) * windowMs
  end

  local function roundsUp(limit)
    return limit.countRejected == 'always'
  end

  local function overlap(state, limit, nowMs)
    local windowMs = limit.windowMs
    local previous = min(state.previous, 2 * limit.quota)
    local weight = (previous * (windowMs - (nowMs - state.startMs))) / windowMs
    return roundsUp(limit) and ceil(weight) or floor(weight)
  end

  local function fitsAfterMs(previous, current, units, limit)
    local windowMs = limit.windowMs
    local room = limit.quota - current - units
    if room < 0 then return nil end
    if previous <= room then return 0 end
    if roundsUp(limit) then return ceil((windowMs * previous - room * windowMs) / previous) end
    return floor((windowMs * previous - (room + 1) * windowMs) / previous) + 1
  end

  local function turnedTo(nowStartMs, state, windowMs)
    local startMs = startOf(state.startMs, windowMs)
    local previous = 0
    if startMs + windowMs == nowStartMs then previous = state.current end
    return { startMs = nowStartMs, previous = previous, current = 0 }
  end

  local function takeBackFrom(state, window, units)
    local taken = min(units, state[window])
    state[window] = state[window] - taken
    return taken
  end

  local function available(state, limit, nowMs)
    return limit.quota - state.current - overlap(state, limit, nowMs)
  end

  return {
    layout = COUNTER_LAYOUT,
    bytes = COUNTER_BYTES,
    available = available,

    decode = function(_, startMs, previous, current)
      return { startMs = startMs, previous = previous, current = current }
    end,

    encode = function(state)
      return state.startMs, state.previous, state.current
    end,

    fresh = function(limit, nowMs)
      return { startMs = startOf(nowMs, limit.windowMs), previous = 0, current = 0 }
    end,

    isAhead = function(state, limit, nowMs)
      return state.startMs > startOf(nowMs, limit.windowMs)
    end,

    normalize = function(state, limit, nowMs)
      local startMs = startOf(nowMs, limit.windowMs)
      if state.startMs == startMs then return state end
      if state.startMs > startMs then return { startMs = startMs, previous = state.previous, current = state.current } end
      return turnedTo(startMs, state, limit.windowMs)
    end,

    waitMs = function(state, limit, units, nowMs)
      if units > limit.quota then return NEVER end
      if units <= available(state, limit, nowMs) then return 0 end
      local elapsedMs = nowMs - state.startMs
      local previous = min(state.previous, 2 * limit.quota)
      local inThis = fitsAfterMs(previous, state.current, units, limit)
      if inThis ~= nil then return inThis - elapsedMs end
      local current = min(state.current, 2 * limit.quota)
      return limit.windowMs - elapsedMs + fitsAfterMs(current, 0, units, limit)
    end,

    spend = function(state, limit, units)
      state.current = state.current + min(units, max(0, 2 * limit.quota - state.current))
    end,

    refund = function(state, limit, units, nowMs, atMs)
      local rest = units
      if atMs == nil or atMs >= state.startMs then rest = rest - takeBackFrom(state, 'current', rest) end
      local isPrevious = atMs == nil or (atMs < state.startMs and atMs >= state.startMs - limit.windowMs)
      if isPrevious and overlap(state, limit, nowMs) > 0 then rest = rest - takeBackFrom(state, 'previous', rest) end
      return rest < units
    end,
  }
end
