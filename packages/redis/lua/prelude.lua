-- What every part below uses.

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max

-- In place of a time: it never comes. Replies have no other negative numbers.
local NEVER = -1

-- The arithmetic of each algorithm, by its name.
local kernels = {}
