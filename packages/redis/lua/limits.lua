-- Reads the limits of checks that are not numeric.

-- The factory of each algorithm's kernel, by its name. Beside the functions of its arithmetic, a kernel has
--   layout, bytes   the format of its state for Lua's struct, after a version, and its length in bytes
--   decode, encode  decode makes a state from the text and its numbers; encode returns the numbers of a state and the end of its key, and, if
--                   there is more, rest: the text after the numbers. keptUntilMs in a state is the end of its key, if it is known
local kernels = {}

-- The limits that were read in this call, by their text.
local limits = {}

-- A limit as this call reads it; margin and lend are those of its check, if it has them.
-- Reading JSON is exact; writing it, with 14 digits, is not.
local function limitOf(text, nowMs)
  local limit = cjson.decode(text)
  local calendarBoundsMs = limit.calendarBoundsMs
  limit.isOutside = calendarBoundsMs ~= nil
  for i = 1, calendarBoundsMs and #calendarBoundsMs - 1 or 0 do
    local startMs, endMs = calendarBoundsMs[i], calendarBoundsMs[i + 1]
    if startMs <= nowMs and nowMs < endMs then
      limit.isOutside, limit.interval = false, { startMs = startMs, endMs = endMs }
    end
  end
  return limit
end

-- The limit of this text. The first check of an algorithm creates its kernel.
local function limitBy(text, limits, nowMs)
  local limit = limits[text]
  if not limit then
    limit = limitOf(text, nowMs)
    limit.kernel = kernels[limit.algorithm]()
    limits[text] = limit
  end
  return limit
end

-- The limit at a position of the arguments: JSON the first time, and the position of this JSON after that.
local function limitAt(position, limits, nowMs)
  local text = ARGV[position]
  if #text < 9 then text = ARGV[text + 0] end
  return limitBy(text, limits, nowMs)
end
