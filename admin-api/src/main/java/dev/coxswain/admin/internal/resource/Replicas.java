// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.model.ReplicaList;
import dev.coxswain.admin.internal.model.ReplicaResource;
import dev.coxswain.admin.internal.model.ReplicaResourceBuilder;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import java.util.Comparator;
import java.util.TreeMap;

/** The values of the replicas that share their limiters. Confined to the admin event loop. */
public final class Replicas {

  private Replicas() {}

  public static ReplicaList list(ControllerDirectory directory) {
    return new ReplicaList(
        directory.replica(),
        directory.replicas().stream()
            .sorted(Comparator.comparingInt(ReplicaInfo::ordinal))
            .map(replica ->
                ReplicaResourceBuilder.builder()
                    .kind(ReplicaResource.KIND)
                    .name(replica.name())
                    .ordinal(replica.ordinal())
                    .since(replica.since())
                    .generation(replica.generation())
                    .pool(replica.pool())
                    .addresses(new TreeMap<>(replica.addresses()))
                    .build())
            .toList());
  }
}
