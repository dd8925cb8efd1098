-- Two counters of clock-aligned windows. The twin of algorithms/sliding-window-counter.ts. State: startMs, previous, current.

kernels['sliding-window-counter'] = function()
  local function startOf(timeMs, windowMs)
    return floor(timeMs / windowMs) * windowMs
  end

  local function overlap(state, limit, nowMs)
    local previous = min(state.previous, 2 * limit.quota)
    return floor((previous * (limit.windowMs - (nowMs - state.startMs))) / limit.windowMs)
  end

  local function fitsAfterMs(previous, current, units, limit)
    local tooMuch = limit.quota - current - units + 1
    if tooMuch < 1 then return nil end
    if previous < tooMuch then return 0 end
    return floor((limit.windowMs * previous - tooMuch * limit.windowMs) / previous) + 1
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

  local counter = {}

  function counter.decode(startMs, previous, current)
    if not current then return nil end
    return { startMs = startMs, previous = previous, current = current }
  end

  function counter.encode(state)
    return state.startMs, state.previous, state.current
  end

  function counter.fresh(limit, nowMs)
    return { startMs = startOf(nowMs, limit.windowMs), previous = 0, current = 0 }
  end

  function counter.isAhead(state, limit, nowMs)
    return state.startMs > startOf(nowMs, limit.windowMs)
  end

  function counter.at(state, limit, nowMs)
    local startMs = startOf(nowMs, limit.windowMs)
    if state.startMs == startMs then return state end
    if state.startMs > startMs then return { startMs = startMs, previous = state.previous, current = state.current } end
    return turnedTo(startMs, state, limit.windowMs)
  end

  function counter.free(state, limit, nowMs)
    return limit.quota - state.current - overlap(state, limit, nowMs)
  end

  function counter.untilMs(state, limit, units, nowMs)
    if units > limit.quota then return NEVER end
    if units <= counter.free(state, limit, nowMs) then return 0 end
    local elapsedMs = nowMs - state.startMs
    local previous = min(state.previous, 2 * limit.quota)
    local inThis = fitsAfterMs(previous, state.current, units, limit)
    if inThis ~= nil then return inThis - elapsedMs end
    local current = min(state.current, 2 * limit.quota)
    return limit.windowMs - elapsedMs + fitsAfterMs(current, 0, units, limit)
  end

  function counter.spend(state, limit, units)
    state.current = state.current + min(units, max(0, 2 * limit.quota - state.current))
  end

  function counter.giveBack(state, limit, units, nowMs, atMs)
    local rest = units
    if atMs == nil or atMs >= state.startMs then rest = rest - takeBackFrom(state, 'current', rest) end
    local isPrevious = atMs == nil or (atMs < state.startMs and atMs >= state.startMs - limit.windowMs)
    if isPrevious then rest = rest - takeBackFrom(state, 'previous', rest) end
    return rest < units
  end

  return counter
end
