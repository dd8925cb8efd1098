-- Slots held by id until their lease ends. The twin of algorithms/concurrency.ts. State: endMs by id, in the order in which they were taken.

kernels['concurrency'] = function()
  local function liveEnds(state, nowMs)
    local ends = {}
    for _, slot in ipairs(state.slots) do
      if slot.endMs > nowMs then ends[#ends + 1] = slot.endMs end
    end
    return ends
  end

  local concurrency = {}

  function concurrency.decode(list)
    if type(list) ~= 'table' then return nil end
    local slots = {}
    for i = 1, #list, 2 do slots[#slots + 1] = { id = list[i], endMs = list[i + 1] } end
    return { slots = slots }
  end

  function concurrency.encode(state)
    local list = {}
    for i, slot in ipairs(state.slots) do
      list[2 * i - 1] = slot.id
      list[2 * i] = slot.endMs
    end
    return list
  end

  function concurrency.fresh()
    return { slots = {} }
  end

  function concurrency.isAhead(state, limit, nowMs)
    for _, slot in ipairs(state.slots) do
      if slot.endMs > nowMs + limit.leaseMs then return true end
    end
    return false
  end

  function concurrency.at(state, limit, nowMs)
    for _, slot in ipairs(state.slots) do slot.endMs = min(slot.endMs, nowMs + limit.leaseMs) end
    return state
  end

  function concurrency.free(state, limit, nowMs)
    return limit.quota - #liveEnds(state, nowMs)
  end

  function concurrency.untilMs(state, limit, units, nowMs)
    if units > limit.quota then return NEVER end
    local ends = liveEnds(state, nowMs)
    table.sort(ends)
    local toEnd = #ends + units - limit.quota
    if toEnd <= 0 then return 0 end
    return ends[toEnd] - nowMs
  end

  function concurrency.holds(state, id, nowMs)
    for _, slot in ipairs(state.slots) do
      if slot.id == id then return slot.endMs > nowMs end
    end
    return false
  end

  local function keepSlots(state, isKept)
    local slots = {}
    for _, slot in ipairs(state.slots) do
      if isKept(slot) then slots[#slots + 1] = slot end
    end
    state.slots = slots
  end

  function concurrency.spend(state, limit, units, nowMs, id)
    keepSlots(state, function(slot) return slot.endMs > nowMs and slot.id ~= id end)
    if id then state.slots[#state.slots + 1] = { id = id, endMs = nowMs + limit.leaseMs } end
  end

  function concurrency.giveBack(state, limit, units, nowMs, atMs, id)
    if not id or not concurrency.holds(state, id, nowMs) then return false end
    keepSlots(state, function(slot) return slot.id ~= id end)
    return true
  end

  return concurrency
end
