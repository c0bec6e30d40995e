// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.models.V1Lease;
import java.net.HttpURLConnection;
import java.util.Map;
import java.util.Optional;

/** A Lease at the API server. */
public final class ApiLeaseStore implements LeaseStore {

  private static final ResourceType<V1Lease> LEASES = ResourceType.of(V1Lease.class);

  private final ApiTransport transport;
  private final String namespace;
  private final String name;

  public ApiLeaseStore(ApiTransport transport, String namespace, String name) {
    this.transport = transport;
    this.namespace = namespace;
    this.name = name;
  }

  @Override
  public Optional<LeaseRecord> get() {
    try {
      return Optional.of(new LeaseRecord(transport.get(LEASES.path(namespace, name), Map.of())));
    } catch (ApiStatusException e) {
      if (e.isNotFound()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public LeaseRecord create(LeaseRecord lease) {
    return new LeaseRecord(
        transport.write("POST", LEASES.path(namespace), Map.of(), lease.json(), ApiTransport.JSON));
  }

  /**
   * Replaces the Lease that was read. When the response has another uid, the Lease was deleted and
   * this request has created another one (by a server or proxy that takes the uid for no
   * precondition): that is a conflict, because the one that was read is not held any more.
   */
  @Override
  public LeaseRecord update(LeaseRecord lease) {
    LeaseRecord stored =
        new LeaseRecord(
            transport.write(
                "PUT", LEASES.path(namespace, name), Map.of(), lease.json(), ApiTransport.JSON));
    if (!lease.uid().isEmpty() && !stored.uid().equals(lease.uid())) {
      throw new ApiStatusException(
          HttpURLConnection.HTTP_CONFLICT,
          "Conflict",
          "Lease %s/%s has uid %s, the one that was read had %s: it was deleted and created again"
              .formatted(namespace, name, stored.uid(), lease.uid()),
          null,
          null);
    }
    return stored;
  }
}
