// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.membership.ReplicaLeaseStore;
import dev.coxswain.k8s.membership.ReplicaLeaseTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The replica Leases, with the rules of an API server and no way to fail by itself. */
public final class MemoryLeases implements ReplicaLeaseStore {

  private final Map<String, LeaseRecord> stored = new TreeMap<>();
  private long version;

  @Override
  public List<LeaseRecord> list() {
    return stored.values().stream()
        .filter(lease -> lease.label(ReplicaLeaseTable.LABEL).equals("replica"))
        .toList();
  }

  @Override
  public Optional<LeaseRecord> get(String name) {
    return Optional.ofNullable(stored.get(name));
  }

  @Override
  public LeaseRecord create(LeaseRecord lease) {
    if (stored.containsKey(lease.name())) {
      throw new ApiStatusException(409, "AlreadyExists", "there is one", null, null);
    }
    return put(lease);
  }

  @Override
  public LeaseRecord update(LeaseRecord lease) {
    LeaseRecord present = stored.get(lease.name());
    if (present == null) {
      throw new ApiStatusException(404, "NotFound", "there is none", null, null);
    }
    if (!present.resourceVersion().equals(lease.resourceVersion())) {
      throw new ApiStatusException(409, "Conflict", "another version", null, null);
    }
    return put(lease);
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
