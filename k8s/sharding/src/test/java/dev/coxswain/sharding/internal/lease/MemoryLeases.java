// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStore;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Leases in memory, with the rules of an API server and no failures of their own. */
public final class MemoryLeases implements ReplicaLeaseStore {

  private final Map<String, LeaseRecord> stored = new TreeMap<>();
  private long version;

  /** A store whose requests pass through {@link #call}, which can delay and fail them. */
  public abstract static class Called implements ReplicaLeaseStore {
    private final MemoryLeases server;

    protected Called(MemoryLeases server) {
      this.server = server;
    }

    protected abstract <T> T call(Supplier<T> request);

    @Override
    public List<LeaseRecord> list() {
      return call(server::list);
    }

    @Override
    public LeaseStore lease(String name) {
      LeaseStore one = server.lease(name);
      return new LeaseStore() {
        @Override
        public Optional<LeaseRecord> get() {
          return call(one::get);
        }

        @Override
        public LeaseRecord create(LeaseRecord lease) {
          return call(() -> one.create(lease));
        }

        @Override
        public LeaseRecord update(LeaseRecord lease) {
          return call(() -> one.update(lease));
        }
      };
    }
  }

  @Override
  public List<LeaseRecord> list() {
    return stored.values().stream()
        .filter(lease -> lease.label(ReplicaLeaseTable.LABEL).equals("replica"))
        .toList();
  }

  @Override
  public LeaseStore lease(String name) {
    return new LeaseStore() {
      @Override
      public Optional<LeaseRecord> get() {
        return MemoryLeases.this.get(name);
      }

      @Override
      public LeaseRecord create(LeaseRecord lease) {
        if (stored.containsKey(name)) {
          throw new ApiStatusException(409, "AlreadyExists", "there is one", null, null);
        }
        return put(lease);
      }

      @Override
      public LeaseRecord update(LeaseRecord lease) {
        LeaseRecord present = stored.get(name);
        if (present == null) {
          throw new ApiStatusException(404, "NotFound", "there is none", null, null);
        }
        if (!present.resourceVersion().equals(lease.resourceVersion())) {
          throw new ApiStatusException(409, "Conflict", "another version", null, null);
        }
        return put(lease);
      }
    };
  }

  public Optional<LeaseRecord> get(String name) {
    return Optional.ofNullable(stored.get(name));
  }

  public LeaseRecord put(LeaseRecord lease) {
    var json = lease.json().deepCopy();
    json.getAsJsonObject("metadata").addProperty("resourceVersion", "" + ++version);
    LeaseRecord next = new LeaseRecord(json);
    stored.put(next.name(), next);
    return next;
  }

  public void delete(String name) {
    stored.remove(name);
  }
}
