#if Valkey && canImport(CResourceHiredis)
  /// The scripts of ``ValkeyResponseStorage``, each an atomic operation of the server.
  ///
  /// The state of a cache is a hash with these fields:
  /// - `s`: the key for hashes; `r`: the server's process that created the state.
  /// - `h`: the history of removals; `n`: their number.
  /// - `c`: a random token, new after each removal of `credentials`; `k`: the number of the last
  ///   one.
  /// - the last 2,048 removals: `r` and a number modulo 2,048 for what was removed; and for each of
  ///   those, the number of its last removal.
  ///
  /// A URL, a partition and a group have a random token each, as a key of its own. A key of the
  /// cache is a hash with the tokens under which it was stored (`t`), its variants in the order in
  /// which they were stored (`o`), and for each variant its times (`m`), its content (`b`), and the
  /// hashes and tokens of its groups (`g`), if it has any. It counts only if all tokens are still
  /// the same: a removal deletes them, and so does an eviction, after which new tokens are random
  /// again. So whatever the server evicts, nothing that was removed can come back.
  enum ResponseScripts {
    /// The number of removals that are kept. A response that was requested before all of them isn't
    /// stored.
    static let removalLimit = 2048

    /// The maximum number of variants of a key.
    static let variantLimit = 32

    /// Creates the state, unless there is one of this process of the server.
    ///
    /// Keys: the state. Arguments: process, key for hashes, history, token.
    /// Returns the fields `s` and `r`.
    static let prepare = Script(
      """
      if redis.call('HGET', KEYS[1], 'r') ~= ARGV[1] then
        redis.call('DEL', KEYS[1])
        redis.call('HSET', KEYS[1], 'r', ARGV[1], 's', ARGV[2], 'h', ARGV[3], 'n', 0, 'c', ARGV[4],
          'k', 0)
      end
      return redis.call('HMGET', KEYS[1], 's', 'r')
      """)

    /// Stores a variant.
    ///
    /// Keys: state, token of the partition, token of the URL, key of the cache, index of the
    /// partition, tokens of the groups. Arguments: history, mark, variant, expected times, times,
    /// content, token, lifetime in milliseconds, whether there are credentials, the names of the
    /// removals of the key, the URL and the partition, and for each group its hash and the name of
    /// its removals. Returns an `Outcome`.
    static let store = Script(
      """
      local s = redis.call('HMGET', KEYS[1], 'h', 'n', 'c', 'k', ARGV[10], ARGV[11], ARGV[12])
      if s[1] ~= ARGV[1] then return 3 end
      local n, mark, lifetime = tonumber(s[2]), tonumber(ARGV[2]), tonumber(ARGV[8])
      if mark > n or n - mark > \(removalLimit) then return 1 end
      for i = 5, 7 do if s[i] and tonumber(s[i]) > mark then return 1 end end
      for i = 14, #ARGV, 2 do
        local removal = redis.call('HGET', KEYS[1], ARGV[i])
        if removal and tonumber(removal) > mark then return 1 end
      end
      local is_private = ARGV[9] == '1'
      if is_private and tonumber(s[4]) > mark then return 1 end
      local p = redis.call('GET', KEYS[2]) or ARGV[7]
      local u = redis.call('GET', KEYS[3]) or ARGV[7]
      local t = (is_private and s[3] or '') .. p .. u
      local is_valid = redis.call('HGET', KEYS[4], 't') == t
      local times = is_valid and redis.call('HGET', KEYS[4], 'm' .. ARGV[3]) or ''
      if times ~= ARGV[4] then return 2 end
      -- Refused if memory is full and nothing can be evicted. Nothing has been changed so far.
      redis.call('SET', KEYS[2], p, 'PX', 2 * lifetime)
      redis.call('SET', KEYS[3], u, 'PX', 2 * lifetime)
      local groups = ''
      for i = 6, #KEYS do
        local g = redis.call('GET', KEYS[i]) or ARGV[7]
        redis.call('SET', KEYS[i], g, 'PX', 2 * lifetime)
        groups = groups .. ARGV[2 * i + 1] .. g
      end
      local order = is_valid and redis.call('HGET', KEYS[4], 'o') or ''
      if not is_valid then redis.call('DEL', KEYS[4]) end
      local kept = ''
      for i = 1, #order, 16 do
        local variant = order:sub(i, i + 15)
        if variant ~= ARGV[3] then kept = kept .. variant end
      end
      while #kept >= 16 * \(variantLimit) do
        local variant = kept:sub(1, 16)
        redis.call('HDEL', KEYS[4], 'm' .. variant, 'b' .. variant, 'g' .. variant)
        kept = kept:sub(17)
      end
      redis.call('HSET', KEYS[4], 't', t, 'o', kept .. ARGV[3], 'm' .. ARGV[3], ARGV[5],
        'b' .. ARGV[3], ARGV[6])
      if groups == '' then
        redis.call('HDEL', KEYS[4], 'g' .. ARGV[3])
      else
        redis.call('HSET', KEYS[4], 'g' .. ARGV[3], groups)
      end
      redis.call('PEXPIRE', KEYS[4], lifetime)
      if is_private then
        local now = redis.call('TIME')
        now = now[1] * 1000 + math.floor(now[2] / 1000)
        redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
        redis.call('ZADD', KEYS[5], now + lifetime, KEYS[4])
        redis.call('PEXPIRE', KEYS[5], 2 * lifetime)
      end
      return 0
      """)

    /// Records a removal, and deletes tokens and content.
    ///
    /// Keys: state, what to delete. Arguments: history, the name of the removal or `c` for all with
    /// credentials, token, the index of the keys to delete or nothing. Returns 1, or 0 if the
    /// history has ended.
    static let remove = Script(
      """
      -- A script whose first change needs no memory isn't refused when memory is full.
      redis.call('HDEL', KEYS[1], '')
      if redis.call('HGET', KEYS[1], 'h') ~= ARGV[1] then return 0 end
      for i = 2, #KEYS do redis.call('DEL', KEYS[i]) end
      if ARGV[4] ~= '' then
        for _, key in ipairs(redis.call('ZRANGE', ARGV[4], 0, -1)) do redis.call('DEL', key) end
        redis.call('DEL', ARGV[4])
      end
      local n = redis.call('HINCRBY', KEYS[1], 'n', 1)
      if ARGV[2] == 'c' then
        redis.call('HSET', KEYS[1], 'c', ARGV[3], 'k', n)
      else
        local slot = 'r' .. n % \(removalLimit)
        local oldest = redis.call('HGET', KEYS[1], slot)
        -- Another slot may have had the same name.
        local last = oldest and redis.call('HGET', KEYS[1], oldest)
        if last and tonumber(last) <= n - \(removalLimit) then
          redis.call('HDEL', KEYS[1], oldest)
        end
        redis.call('HSET', KEYS[1], slot, ARGV[2], ARGV[2], n)
      end
      return 1
      """)

    /// Grants a lease, unless another one has it.
    ///
    /// Keys: state, lease. Arguments: history, token, time in milliseconds. Returns 0 if it was
    /// granted, the remaining time of another one in milliseconds, -1 if none is needed, or -2 if
    /// the history has ended.
    static let lease = Script(
      """
      if redis.call('HGET', KEYS[1], 'h') ~= ARGV[1] then return -2 end
      local holder = redis.call('GET', KEYS[2])
      if holder == '' then return -1 end
      if holder and holder ~= ARGV[2] then return math.max(redis.call('PTTL', KEYS[2]), 1) end
      redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
      return 0
      """)

    /// Ends a lease, if it is still the same.
    ///
    /// Keys: lease. Arguments: token, and for how long no lease is needed, in milliseconds.
    static let endLease = Script(
      """
      if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
      if ARGV[2] == '0' then return redis.call('DEL', KEYS[1]) end
      redis.call('SET', KEYS[1], '', 'PX', ARGV[2])
      return 1
      """)
  }
#endif
