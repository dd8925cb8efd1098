-- Slots held by id until their lease ends.

kernels['concurrency'] = function()
  -- Arithmetic: concurrency
  return {
    layout = '<B',
    bytes = 1,

    decode = function(text, first)
      local list, ids, ends = cmsgpack.unpack(string.sub(text, first)), {}, {}
      for i = 1, #list, 2 do ids[#ids + 1], ends[#ends + 1] = list[i], list[i + 1] + 0 end
      return { ids = ids, ends = ends }
    end,

    encode = function() end,

    rest = function(state)
      local list = {}
      for i, id in ipairs(state.ids) do list[2 * i - 1], list[2 * i] = id, state.ends[i] end
      return cmsgpack.pack(list)
    end,

    fresh = fresh,
    isAhead = isAhead,
    normalize = normalize,
    available = available,
    waitMs = waitMs,
    holds = holds,
    spend = spend,
    refund = refund,
  }
end
