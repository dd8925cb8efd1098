-- What every part below uses.

local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
local format, call = string.format, redis.call
local pack, unpack = cmsgpack.pack, cmsgpack.unpack
local KEYS, ARGV = KEYS, ARGV

-- In place of a time: it never comes. Replies have no other negative numbers.
local NEVER = -1

-- What makes the arithmetic of each algorithm, by its name: a call makes what its limits need, since making all would be most of its work.
local kernels = {}
