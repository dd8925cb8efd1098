-- A reply is one string of numbers, each a double of eight bytes, because a client reads that faster than a list of numbers. FAILED, the length of a
-- text and the text stand for an error.

local function packed(reply, length)
  local parts, from = {}, 1
  while from <= length do
    local to = from
    while to <= length and to - from < MOST_NUMBERS and type(reply[to]) == 'number' do to = to + 1 end
    if to > from then parts[#parts + 1] = struct.pack('<' .. string.rep('d', to - from), unpack(reply, from, to - 1)) end
    from = to
    local failure = reply[from]
    if from <= length and type(failure) == 'string' then
      parts[#parts + 1] = struct.pack('<dd', FAILED, #failure) .. failure
      from = from + 1
    end
  end
  return table.concat(parts)
end
