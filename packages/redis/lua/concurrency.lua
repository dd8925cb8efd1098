-- Slots held by id until their lease ends. The twin of algorithms/concurrency.ts. State: endMs by id, in
-- the order in which they were taken.

kernels['concurrency'] = function()
  local function liveEnds(state, nowMs)
    local ends = {}
    for _, slot in ipairs(state.slots) do
      if slot.endMs > nowMs then ends[#ends + 1] = slot.endMs end
    end
    return ends
  end

  local function holds(state, id, nowMs)
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

  return {
    holds = holds,

    layout = '<B',
    bytes = 1,

    decode = function(text, first)
      local list, slots = cmsgpack.unpack(string.sub(text, first)), {}
      for i = 1, #list, 2 do slots[#slots + 1] = { id = list[i], endMs = list[i + 1] + 0 } end
      return { slots = slots }
    end,

    encode = function() end,

    rest = function(state)
      local list = {}
      for i, slot in ipairs(state.slots) do
        list[2 * i - 1] = slot.id
        list[2 * i] = slot.endMs
      end
      return cmsgpack.pack(list)
    end,

    fresh = function()
      return { slots = {} }
    end,

    isAhead = function(state, limit, nowMs)
      for _, slot in ipairs(state.slots) do
        if slot.endMs > nowMs + limit.leaseMs then return true end
      end
      return false
    end,

    normalize = function(state, limit, nowMs)
      for _, slot in ipairs(state.slots) do slot.endMs = min(slot.endMs, nowMs + limit.leaseMs) end
      return state
    end,

    available = function(state, limit, nowMs)
      return limit.quota - #liveEnds(state, nowMs)
    end,

    waitMs = function(state, limit, units, nowMs)
      if units > limit.quota then return NEVER end
      local ends = liveEnds(state, nowMs)
      table.sort(ends)
      local toEnd = #ends + units - limit.quota
      if toEnd <= 0 then return 0 end
      return ends[toEnd] - nowMs
    end,

    spend = function(state, limit, units, nowMs, id)
      keepSlots(state, function(slot) return slot.endMs > nowMs and slot.id ~= id end)
      if id then state.slots[#state.slots + 1] = { id = id, endMs = nowMs + limit.leaseMs } end
    end,

    refund = function(state, limit, units, nowMs, atMs, id)
      if not id or not holds(state, id, nowMs) then return false end
      keepSlots(state, function(slot) return slot.id ~= id end)
      return true
    end,
  }
end
