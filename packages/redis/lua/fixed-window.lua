-- A count that starts anew. The twin of algorithms/fixed-window.ts. State: startMs, endMs, count.

local function currentWindow(limit, nowMs, interval)
  if interval then return interval end
  local startMs = nowMs
  if limit.isClock then startMs = floor(nowMs / limit.windowMs) * limit.windowMs end
  return { startMs = startMs, endMs = startMs + limit.windowMs }
end

local fixed = {}

function fixed.decode(numbers, from)
  return { startMs = numbers[from], endMs = numbers[from] + numbers[from + 1], count = numbers[from + 2] }
end

function fixed.encode(state, numbers)
  numbers[#numbers + 1] = state.startMs
  numbers[#numbers + 1] = state.endMs - state.startMs
  numbers[#numbers + 1] = state.count
end

function fixed.fresh(limit, nowMs)
  return { startMs = nowMs, endMs = nowMs + limit.windowMs, count = 0 }
end

function fixed.isAhead(state, limit, nowMs, interval)
  return state.startMs > currentWindow(limit, nowMs, interval).startMs
end

function fixed.at(state, limit, nowMs, interval)
  local window = currentWindow(limit, nowMs, interval)
  if state.startMs > window.startMs then
    return { startMs = window.startMs, endMs = window.endMs, count = state.count }
  end
  local endMs = window.endMs
  local isOver = state.startMs < window.startMs
  if limit.isFirstRequest then
    endMs = state.startMs + limit.windowMs
    isOver = nowMs >= endMs or state.count == 0
  end
  if isOver then return { startMs = window.startMs, endMs = window.endMs, count = 0 } end
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

kernels['fixed-window'] = fixed
