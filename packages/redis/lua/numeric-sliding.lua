-- Decides: sliding-window sliding-window-log
-- The sliding window over sub-windows, and the log, as sliding.lua decides them. a is the window, b the sub-window.

local function numericSliding(text, quota, windowMs, subWindowMs, _, cost, margin, spends, nowMs)
  local ending, needed = nowMs - nowMs % subWindowMs + subWindowMs - 1, cost
  if margin < 0 then needed = cost - margin end
  if not text and spends and cost <= quota and cost + needed <= quota then
    local resetAfterMs = ending + windowMs - nowMs
    text = struct.pack(SLIDING_LAYOUT, FORMAT, subWindowMs, windowMs, ending, ending, cost, cost)
    return true, quota - cost, resetAfterMs, 0, 0, text, nil, resetAfterMs
  end

  -- The entries, of which the text has the newest one among its numbers.
  local ends, counts, count, used, first = {}, {}, 0, 0, 1
  if text then
    if #text < SLIDING_BYTES then return nil end
    local version, ownSubWindowMs, ownWindowMs, oldest, newest, recorded, newestUnits = struct.unpack(SLIDING_LAYOUT, text)
    if version ~= FORMAT or newest > ending or ownSubWindowMs ~= subWindowMs or ownWindowMs ~= windowMs or newestUnits <= 0 then return nil end
    if newest == ending and nowMs < oldest + windowMs then
      -- Only the newest entry changes, and if the same cost fits once more, the others need not be read.
      if spends then recorded = recorded + cost end
      if recorded + needed <= quota then
        text = spends and struct.pack(SLIDING_TAIL, recorded, newestUnits + cost)
        return true, quota - recorded, ending + windowMs - nowMs, 0, 0, text, SLIDING_TAIL_AT, nil
      end
    end
    if #text > SLIDING_BYTES then
      local isRead, list = pcall(cmsgpack.unpack, string.sub(text, SLIDING_BYTES + 1))
      if not isRead or type(list) ~= 'table' then return nil end
      local last = 0
      for i = 1, #list, 2 do
        local distance, units = list[i], list[i + 1]
        if type(distance) ~= 'number' or type(units) ~= 'number' then return nil end
        last, count = last + distance, count + 1
        ends[count], counts[count], used = last, units, used + units
      end
    end
    count = count + 1
    ends[count], counts[count], used = newest, newestUnits, used + newestUnits
    while first <= count and nowMs >= ends[first] + windowMs do
      used, first = used - counts[first], first + 1
    end
  end

  local isAdmitted, at, forMs = cost <= quota and used + cost <= quota + margin, nil, nil
  if isAdmitted and spends then
    local isSame = ends[count] == ending
    -- Entries of another length might be too many.
    if used + cost > 2 * quota or (not isSame and count - first >= math.floor(windowMs / subWindowMs)) then return nil end
    if isSame then
      counts[count] = counts[count] + cost
    else
      count = count + 1
      ends[count], counts[count] = ending, cost
    end
    used = used + cost
    if isSame and first == 1 then
      at, text = SLIDING_TAIL_AT, struct.pack(SLIDING_TAIL, used, counts[count])
    else
      local list, length, last = {}, 0, 0
      for i = first, count - 1 do
        list[length + 1], list[length + 2] = ends[i] - last, counts[i]
        last, length = ends[i], length + 2
      end
      forMs = ending + windowMs - nowMs
      text = struct.pack(SLIDING_LAYOUT, FORMAT, subWindowMs, windowMs, ends[first], ending, used, counts[count])
      if length > 0 then text = text .. cmsgpack.pack(list) end
    end
  end

  local free, resetAfterMs, retryAfterMs = quota - used, 0, 0
  if used > 0 then resetAfterMs = ends[count] + windowMs - nowMs end
  if needed > quota then
    retryAfterMs = NEVER
  else
    local left = used
    while left + needed > quota do
      left, retryAfterMs = left - counts[first], ends[first] + windowMs - nowMs
      first = first + 1
    end
  end
  return isAdmitted, free, resetAfterMs, retryAfterMs, 0, text, at, forMs
end
