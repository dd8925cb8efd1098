-- The token bucket, continuous or by interval.
-- Uses: bucket

kernels['token-bucket'] = function()
  -- Arithmetic: token-bucket
  return {
    layout = BUCKET_LAYOUT,
    bytes = BUCKET_BYTES,
    decode = decodeBucket,
    encode = encodeBucket,
    fresh = fullBucket,
    isAhead = isBucketAhead,
    normalize = normalize,
    available = available,
    waitMs = waitMs,
    spend = spend,
    refund = refund,
    retentionMs = retentionMs,
  }
end
