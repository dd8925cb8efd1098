-- The leaky bucket with a queue.
-- Uses: bucket

kernels['leaky-bucket'] = function()
  -- Arithmetic: leaky-bucket
  return {
    layout = BUCKET_LAYOUT,
    bytes = BUCKET_BYTES,
    decode = decodeBucket,
    encode = encodeBucket,
    fresh = fullBucket,
    isAhead = isBucketAhead,
    normalize = bucketAt,
    available = bucketFree,
    waitMs = waitMs,
    delayMs = delayMs,
    spend = spend,
    refund = refund,
    retentionMs = retentionMs,
  }
end
