-- The sliding window over sub-windows, and the log, which differ in their grains alone. The twin of algorithms/sliding-window.ts.
-- State: units by the last millisecond of their grain, oldest first; encoded with each end as its distance from the one before.

local function slidingKernel(grains)
  local function endOfGrain(timeMs, grainMs)
    return (floor(timeMs / grainMs) + 1) * grainMs - 1
  end

  local function newestEnd(state)
    return state.ends[#state.ends] or -1
  end

  local function firstLive(state, windowMs, nowMs)
    local i = 1
    while i <= #state.ends and nowMs >= state.ends[i] + windowMs do i = i + 1 end
    return i
  end

  local function usedNow(state, windowMs, nowMs)
    local live = firstLive(state, windowMs, nowMs)
    local used = state.used
    for i = 1, live - 1 do used = used - state.units[i] end
    return used
  end

  local function dropExpired(state, windowMs, nowMs)
    local live = firstLive(state, windowMs, nowMs)
    if live == 1 then return end
    local ends, units = {}, {}
    for i = 1, live - 1 do state.used = state.used - state.units[i] end
    for i = live, #state.ends do
      ends[#ends + 1] = state.ends[i]
      units[#units + 1] = state.units[i]
    end
    state.ends = ends
    state.units = units
  end

  local function regrained(state, byMs, grainMs, latestMs)
    local roundMs = 1
    if grainMs > state.grainMs then roundMs = grainMs end
    local ends, units = {}, {}
    for i = 1, #state.ends do
      local ending = min(endOfGrain(state.ends[i] - byMs, roundMs), latestMs)
      if ends[#ends] == ending then
        units[#units] = units[#units] + state.units[i]
      else
        ends[#ends + 1] = ending
        units[#units + 1] = state.units[i]
      end
    end
    return { ends = ends, units = units, used = state.used, grainMs = max(grainMs, state.grainMs) }
  end

  local function takeBack(state, i, units)
    local taken = min(units, state.units[i])
    state.units[i] = state.units[i] - taken
    state.used = state.used - taken
    if state.units[i] == 0 then
      table.remove(state.ends, i)
      table.remove(state.units, i)
    end
    return taken
  end

  local kernel = {}

  local function latestMs(limit, nowMs)
    return endOfGrain(nowMs, grains.coarsestMs(limit))
  end

  function kernel.decode(grainMs, list)
    if type(list) ~= 'table' then return nil end
    local ends, units, used, last = {}, {}, 0, 0
    for i = 1, #list / 2 do
      last = last + list[2 * i - 1]
      ends[i] = last
      units[i] = list[2 * i]
      used = used + units[i]
    end
    return { ends = ends, units = units, used = used, grainMs = grainMs }
  end

  function kernel.encode(state)
    local list, last = {}, 0
    for i, ending in ipairs(state.ends) do
      list[2 * i - 1] = ending - last
      list[2 * i] = state.units[i]
      last = ending
    end
    return state.grainMs, list
  end

  function kernel.fresh(limit)
    return { ends = {}, units = {}, used = 0, grainMs = grains.grainMs(limit) }
  end

  function kernel.isAhead(state, limit, nowMs)
    return newestEnd(state) > latestMs(limit, nowMs)
  end

  function kernel.at(state, limit, nowMs)
    local grainMs = grains.grainMs(limit)
    if grainMs <= state.grainMs and not kernel.isAhead(state, limit, nowMs) then return state end
    local latest = latestMs(limit, nowMs)
    local byMs = max(0, newestEnd(state) - max(latest, endOfGrain(nowMs, state.grainMs)))
    return regrained(state, byMs, grainMs, latest)
  end

  function kernel.free(state, limit, nowMs)
    return limit.quota - usedNow(state, limit.windowMs, nowMs)
  end

  function kernel.untilMs(state, limit, units, nowMs)
    if units > limit.quota then return NEVER end
    local used = usedNow(state, limit.windowMs, nowMs)
    local untilMs = 0
    local i = firstLive(state, limit.windowMs, nowMs)
    while used + units > limit.quota do
      used = used - state.units[i]
      untilMs = state.ends[i] + limit.windowMs - nowMs
      i = i + 1
    end
    return untilMs
  end

  function kernel.spend(state, limit, units, nowMs)
    dropExpired(state, limit.windowMs, nowMs)
    local recorded = min(units, max(0, 2 * limit.quota - state.used))
    if recorded == 0 then return end
    local grainMs = grains.grainMs(limit)
    local ending = endOfGrain(nowMs, grainMs)
    local newest = #state.ends
    local last = newestEnd(state)
    if last < ending and newest < grains.most(limit) then
      state.ends[newest + 1] = ending
      state.units[newest + 1] = recorded
    else
      state.ends[newest] = max(last, ending)
      state.units[newest] = state.units[newest] + recorded
    end
    state.used = state.used + recorded
    if last <= ending then state.grainMs = grainMs end
  end

  function kernel.giveBack(state, limit, units, nowMs, atMs)
    local live = firstLive(state, limit.windowMs, nowMs)
    local rest = units
    if atMs == nil then
      while rest > 0 and #state.ends >= live do rest = rest - takeBack(state, #state.ends, rest) end
    else
      local ending = endOfGrain(atMs, grains.grainMs(limit))
      if nowMs < ending + limit.windowMs then
        for i = live, #state.ends do
          if state.ends[i] >= ending then
            rest = rest - takeBack(state, i, units)
            break
          end
        end
      end
    end
    return rest < units
  end

  return kernel
end

kernels['sliding-window'] = function()
  local function coarsestMs(limit)
    return ceil(limit.windowMs / limit.buckets)
  end

  return slidingKernel({
    grainMs = function(limit)
      if limit.quota <= limit.buckets then return 1 end
      return coarsestMs(limit)
    end,
    coarsestMs = coarsestMs,
    most = function(limit)
      return limit.buckets + 1
    end,
  })
end

kernels['sliding-window-log'] = function()
  local function one()
    return 1
  end

  return slidingKernel({
    grainMs = one,
    coarsestMs = one,
    most = function(limit)
      return limit.quota
    end,
  })
end
