-- Used by every part below. Each call runs the script from its first line, and Lua creates the functions again, which is most of the cost of a
-- call. So functions that few calls need are created when they are needed, and functions get their data as arguments.

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
