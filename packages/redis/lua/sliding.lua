-- The sliding window over sub-windows, and the log. They differ only in the length of the sub-windows. The twin of algorithms/sliding/window.ts and
-- sliding/state.ts. Spending and refunding are one function each here, because functions are expensive to create: see consume.lua.
-- State: units by the last millisecond of their sub-window, oldest first; an entry may be empty, but not the newest. The stored text begins with the
-- numbers that a decision changes. Then come, in MessagePack, the entries before the newest, each end as its distance from the one before.

local function slidingKernel(subWindows)
  local function endOfSubWindow(timeMs, subWindowMs)
    return (floor(timeMs / subWindowMs) + 1) * subWindowMs - 1
  end

  local function newestEnd(state)
    return state.ends[#state.ends] or -1
  end

  local function firstLive(state, windowMs, nowMs)
    local ends, i = state.ends, 1
    while ends[i] and nowMs >= ends[i] + windowMs do i = i + 1 end
    return i
  end

  local function usedNow(state, windowMs, nowMs)
    local used = state.used
    for i = 1, firstLive(state, windowMs, nowMs) - 1 do used = used - state.units[i] end
    return used
  end

  local function keepFrom(state, first)
    local ends, units = {}, {}
    for i = first, #state.ends do
      ends[i - first + 1] = state.ends[i]
      units[i - first + 1] = state.units[i]
    end
    state.ends = ends
    state.units = units
  end

  local function dropExpired(state, windowMs, nowMs)
    local live = firstLive(state, windowMs, nowMs)
    for i = 1, live - 1 do state.used = state.used - state.units[i] end
    if live > 1 then keepFrom(state, live) end
  end

  -- Removes the entries from one on, up to another.
  local function remove(state, from, to)
    local ends, units = {}, {}
    for i = 1, #state.ends do
      if i < from or i >= to then ends[#ends + 1], units[#units + 1] = state.ends[i], state.units[i] end
    end
    state.ends, state.units = ends, units
  end

  local function dropOldest(state, from, units)
    local rest, at = units, from
    while rest > 0 do
      local recorded = state.units[at]
      local taken = min(rest, recorded)
      state.units[at] = recorded - taken
      rest = rest - taken
      if taken == recorded then at = at + 1 end
    end
    state.used = state.used - units
    if at - from > 1 then remove(state, from, at - 1) end
  end

  local function joinPast(state, live)
    local ends, units, partMs, kept = state.ends, state.units, ceil(state.windowMs / HISTORY_PARTS), 0
    for i = 1, live - 1 do
      local ending, recorded = ends[i], units[i]
      if recorded > 0 then
        local isSamePart = kept > 0 and floor(ends[kept] / partMs) == floor(ending / partMs)
        if isSamePart then units[kept] = units[kept] + recorded else kept = kept + 1 end
        ends[kept] = ending
        if not isSamePart then units[kept] = recorded end
      end
    end
    if kept < live - 1 then remove(state, kept + 1, live) end
    return kept + 1
  end

  local function resampled(state, byMs, subWindowMs, latestMs)
    local roundMs = 1
    if subWindowMs > state.subWindowMs then roundMs = subWindowMs end
    local ends, units = {}, {}
    for i = 1, #state.ends do
      local ending = min(endOfSubWindow(state.ends[i] - byMs, roundMs), latestMs)
      if ends[#ends] == ending then
        units[#units] = units[#units] + state.units[i]
      else
        ends[#ends + 1] = ending
        units[#units + 1] = state.units[i]
      end
    end
    return { ends = ends, units = units, used = state.used, subWindowMs = max(subWindowMs, state.subWindowMs), windowMs = state.windowMs }
  end

  local function takeBack(state, i, units)
    local taken = min(units, state.units[i])
    state.units[i] = state.units[i] - taken
    state.used = state.used - taken
    if state.units[i] == 0 then
      table.remove(state.ends, i)
      table.remove(state.units, i)
      while state.units[#state.units] == 0 do
        state.ends[#state.ends] = nil
        state.units[#state.units] = nil
      end
    end
    return taken
  end

  local function latestMs(limit, nowMs)
    return endOfSubWindow(nowMs, subWindows.coarsestMs(limit))
  end

  local function isAhead(state, limit, nowMs)
    return newestEnd(state) > latestMs(limit, nowMs)
  end

  return {
    isAhead = isAhead,
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
      return { ends = ends, units = units, used = used, subWindowMs = subWindowMs, windowMs = windowMs, keptUntilMs = used > 0 and newest + windowMs }
    end,

    encode = function(state, limit)
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

    fresh = function(limit)
      return { ends = {}, units = {}, used = 0, subWindowMs = subWindows.subWindowMs(limit), windowMs = limit.windowMs }
    end,

    normalize = function(state, limit, nowMs)
      local subWindowMs = subWindows.subWindowMs(limit)
      if subWindowMs <= state.subWindowMs and not isAhead(state, limit, nowMs) then return state end
      local latest = latestMs(limit, nowMs)
      local byMs = max(0, newestEnd(state) - max(latest, endOfSubWindow(nowMs, state.subWindowMs)))
      return resampled(state, byMs, subWindowMs, latest)
    end,

    available = function(state, limit, nowMs)
      return limit.quota - usedNow(state, limit.windowMs, nowMs)
    end,

    waitMs = function(state, limit, units, nowMs)
      if units > limit.quota then return NEVER end
      local windowMs = limit.windowMs
      local used = usedNow(state, windowMs, nowMs)
      -- To free the whole limit, even the newest entry has to expire. An entry that counts holds at least one unit.
      if units == limit.quota then return used > 0 and newestEnd(state) + windowMs - nowMs or 0 end
      local untilMs = 0
      local i = firstLive(state, windowMs, nowMs)
      while used + units > limit.quota do
        used = used - state.units[i]
        untilMs = state.ends[i] + windowMs - nowMs
        i = i + 1
      end
      return untilMs
    end,

    spend = function(state, limit, units, nowMs)
      local quota, windowMs = limit.quota, limit.windowMs
      dropExpired(state, max(windowMs, state.windowMs), nowMs)
      state.windowMs = state.ends[1] and max(windowMs, state.windowMs) or windowMs
      local recorded = min(units, 2 * quota)
      if recorded == 0 then return end
      local live, used = 1, state.used
      if state.windowMs > windowMs then
        live = joinPast(state, firstLive(state, windowMs, nowMs))
        used = usedNow(state, windowMs, nowMs)
      end
      local tooMany = used - (max(2 * quota, used) - recorded)
      if tooMany > 0 then dropOldest(state, live, tooMany) end
      local inexact = state.used - (MAX_SAFE - recorded)
      if inexact > 0 then dropOldest(state, 1, inexact) end
      local subWindowMs = subWindows.subWindowMs(limit)
      local ending = endOfSubWindow(nowMs, subWindowMs)
      local newest = #state.ends
      local last = newestEnd(state)
      if last < ending and newest - live + 1 < subWindows.most(limit) then
        state.ends[newest + 1] = ending
        state.units[newest + 1] = recorded
      else
        state.ends[newest] = max(last, ending)
        state.units[newest] = state.units[newest] + recorded
      end
      state.used = state.used + recorded
      if last <= ending then state.subWindowMs = subWindowMs end
    end,

    retentionMs = function(state, limit, nowMs)
      if state.used == 0 then return 0 end
      return max(0, newestEnd(state) + max(limit.windowMs, state.windowMs) - nowMs)
    end,

    refund = function(state, limit, units, nowMs, atMs)
      local windowMs = limit.windowMs
      local live = firstLive(state, windowMs, nowMs)
      local rest = units
      if atMs == nil then
        while rest > 0 and #state.ends >= live do rest = rest - takeBack(state, #state.ends, rest) end
      else
        local subWindowMs = subWindows.subWindowMs(limit)
        local ending = endOfSubWindow(atMs, subWindowMs)
        if nowMs < ending + windowMs then
          for i = live, #state.ends do
            if state.ends[i] >= ending then
              local isThere = state.ends[i] < atMs + max(subWindowMs, state.subWindowMs)
              if isThere and state.units[i] > 0 then rest = rest - takeBack(state, i, units) end
              break
            end
          end
        end
      end
      return rest < units
    end,
  }
end
