// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.sharding.internal.lease.ApiLeaseStore;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.sharding.internal.lease.LeaseStore;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The replica Leases at the API server.
 *
 * @param prefix the value of their label
 */
record ApiReplicaLeaseStore(ApiTransport transport, String namespace, String prefix)
    implements ReplicaLeaseStore {

  @Override
  public List<LeaseRecord> list() {
    List<LeaseRecord> result = new ArrayList<>();
    // Without a resource version the server returns the most recent list.
    transport.list(
        ResourceType.of(V1Lease.class).path(namespace),
        Map.of("labelSelector", ReplicaLeaseTable.LABEL + "=" + prefix),
        ApiTransport.JSON,
        result::clear,
        lease -> result.add(new LeaseRecord(lease.tree())));
    return result;
  }

  @Override
  public LeaseStore lease(String name) {
    return new ApiLeaseStore(transport, namespace, name);
  }
}
