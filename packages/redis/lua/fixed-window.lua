-- A count that starts anew. The twin of algorithms/fixed-window.ts. State: startMs, endMs, count.

fastPaths['fixed-window'] = function(text, limit, cost, nowMs)
  local quota, windowMs, isFromFirst = limit.quota, limit.windowMs, limit.align == 'first-request'
  local startMs = isFromFirst and nowMs or floor(nowMs / windowMs) * windowMs
  local endMs, count, isKept = startMs + windowMs, 0, false
  if text then
    if #text ~= FIXED_BYTES then return nil end
    local version, ownStartMs, lengthMs, ownCount = struct.unpack(FIXED_LAYOUT, text)
    if version ~= FORMAT or ownStartMs > startMs or ownCount == 0 then return nil end
    local ownEndMs, isOver = endMs, ownStartMs < startMs
    if isFromFirst then
      ownEndMs = ownStartMs + windowMs
      isOver = nowMs >= ownEndMs
    end
    if not isOver then
      isKept = ownStartMs == ownEndMs - lengthMs
      startMs, endMs, count = ownStartMs, ownEndMs, ownCount
    end
  end
  local isAdmitted, at, forMs = count + cost <= quota, nil, nil
  if isAdmitted then
    count = count + cost
    if isKept then
      at, text = FIXED_TAIL_AT, struct.pack(FIXED_TAIL, count)
    else
      text, forMs = struct.pack(FIXED_LAYOUT, FORMAT, startMs, endMs - startMs, count), endMs - nowMs
    end
  end
  local free, retryAfterMs = quota - count, 0
  if cost > quota then retryAfterMs = NEVER elseif cost > free then retryAfterMs = endMs - nowMs end
  return isAdmitted, free, count == 0 and 0 or endMs - nowMs, retryAfterMs, 0, text, at, forMs
end

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
