// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.membership;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.internal.lease.ApiLeaseStore;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.internal.lease.LeaseStore;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The replica Leases at the API server. */
final class ApiReplicaLeaseStore implements ReplicaLeaseStore {

  private static final ResourceType<V1Lease> LEASES = ResourceType.of(V1Lease.class);

  private final ApiTransport transport;
  private final String namespace;
  private final String selector;

  ApiReplicaLeaseStore(ApiTransport transport, String namespace, String label, String value) {
    this.transport = transport;
    this.namespace = namespace;
    this.selector = label + "=" + value;
  }

  @Override
  public List<LeaseRecord> list() {
    List<LeaseRecord> result = new ArrayList<>();
    // Without a resource version the server returns the most recent list.
    transport.list(
        LEASES.path(namespace),
        Map.of("labelSelector", selector),
        ApiTransport.JSON,
        result::clear,
        lease -> result.add(new LeaseRecord(lease.getAsJsonObject())));
    return result;
  }

  @Override
  public Optional<LeaseRecord> get(String name) {
    return one(name).get();
  }

  @Override
  public LeaseRecord create(LeaseRecord lease) {
    return one(lease.name()).create(lease);
  }

  @Override
  public LeaseRecord update(LeaseRecord lease) {
    return one(lease.name()).update(lease);
  }

  private LeaseStore one(String name) {
    return new ApiLeaseStore(transport, namespace, name);
  }
}
