-- Decides: sliding-window sliding-window-log
-- How the sliding window over sub-windows and the log are read and written. a is the window, b the sub-window.
-- Calls: sliding-window margin
-- State: ends units used subWindowMs windowMs unchanged= head=
-- Limit: quota windowMs subWindowMs
-- Given: subWindowMs=subWindowMs mostEntries=math.huge
-- Leaves: dropOldest

local function numericSliding(text, quota, windowMs, subWindowMs, _, cost, margin, spends, nowMs)
  -- Inline: const ending = endOfSubWindow(nowMs, subWindowMs)
  local oldest, newest, recorded, newestUnits = ending, ending, 0, 0
  if text then
    if #text < SLIDING_BYTES then return nil end
    local version, ownSubWindowMs, ownWindowMs
    version, ownSubWindowMs, ownWindowMs, oldest, newest, recorded, newestUnits = struct.unpack(SLIDING_LAYOUT, text)
    if version ~= FORMAT or newest > ending or ownSubWindowMs ~= subWindowMs or ownWindowMs ~= windowMs or newestUnits <= 0 then return nil end
  end

  -- Inline: const isWhole = addsToNewest(oldest, newest, windowMs, subWindowMs, nowMs)
  if isWhole and (text or spends) then
    -- If the same cost fits once more, the entries before the newest need not be read.
    local left = quota - recorded
    if spends then left = left - cost end
    -- Inline: const needed = neededUnits(cost, margin)
    if needed <= left then
      -- Inline: const leftMs = countsForMs(newest, windowMs, nowMs)
      if not text then
        return true, left, leftMs, 0, 0, struct.pack(SLIDING_LAYOUT, FORMAT, subWindowMs, windowMs, ending, ending, cost, cost)
      end
      return true, left, leftMs, 0, 0, spends and struct.pack(SLIDING_TAIL, recorded + cost, newestUnits + cost), SLIDING_TAIL_AT
    end
  end

  local ends, units, used, at = {}, {}, newestUnits, nil
  if text then
    if #text > SLIDING_BYTES then
      local isRead, list = pcall(cmsgpack.unpack, string.sub(text, SLIDING_BYTES + 1))
      if not isRead or type(list) ~= 'table' then return nil end
      local last = 0
      for i = 1, #list, 2 do
        local distance, count = list[i], list[i + 1]
        if type(distance) ~= 'number' or type(count) ~= 'number' then return nil end
        last, used = last + distance, used + count
        ends[#ends + 1], units[#units + 1] = last, count
      end
    end
    ends[#ends + 1], units[#units + 1] = newest, newestUnits
  end
  -- Entries of sub-windows of another length might be too many.
  -- Inline: const live = firstLive(state, windowMs, nowMs)
  local before = #ends
  if newest ~= ending and before - live > windowMs / subWindowMs then return nil end
  -- Include: numeric-decision
  if isSpent then
    local count = #ends
    if count == before and ends[1] == oldest then
      at, text = SLIDING_TAIL_AT, struct.pack(SLIDING_TAIL, used, units[count])
    else
      text = struct.pack(SLIDING_LAYOUT, FORMAT, subWindowMs, windowMs, ends[1], ends[count], used, units[count])
      if count > 1 then
        local list, last = {}, 0
        for i = 1, count - 1 do
          list[2 * i - 1], list[2 * i] = ends[i] - last, units[i]
          last = ends[i]
        end
        text = text .. cmsgpack.pack(list)
      end
    end
  end
  return isAdmitted, free, resetAfterMs, retryAfterMs, 0, text, at
end
