// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.configuration;

import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The configuration of one replica, or of each replica. */
public record ConfigurationList(
    String kind,
    @Nullable String replica,
    List<Configuration> items,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements ListValue, TableValue {

  /**
   * The configuration of a replica.
   *
   * @param changed the keys that the last load has changed
   * @param needsRestart the keys that need a restart
   * @param settling the keys whose change is being applied
   * @param errors why the last file was rejected
   */
  public record Configuration(
      String kind,
      String replica,
      String file,
      String state,
      @Nullable Instant loadedAt,
      List<String> changed,
      List<String> needsRestart,
      List<String> settling,
      List<String> errors,
      @Nullable Instant rejectedAt,
      long reloads,
      long rejections) {

    private static final Columns<Configuration> COLUMNS =
        Columns.of(Configuration::replica)
            .name("REPLICA", "The replica that loads it.", Configuration::replica)
            .text("STATE", "Whether its file is in use.", Configuration::state)
            .age("AGE", "The time since it was loaded.", Configuration::loadedAt)
            .text(
                "NEEDS-RESTART",
                "Changed keys that need a restart.",
                one -> String.join(",", one.needsRestart()))
            .message("ERROR", "Why it was rejected.", one -> String.join(",", one.errors()))
            .wide()
            .text("FILE", "Its file.", Configuration::file)
            .text("CHANGED", "Keys of the last load.", one -> String.join(",", one.changed()))
            .text("SETTLING", "Keys being applied.", one -> String.join(",", one.settling()))
            .build();
  }

  /** Creates the list of one replica, or the merged one of all replicas for null. */
  public ConfigurationList(@Nullable String replica, List<Configuration> items) {
    this("ConfigurationList", replica, items, null, null);
  }

  @Override
  public ConfigurationList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new ConfigurationList(kind, replica == null ? self : replica, items, isPartial, states);
  }

  @Override
  public TableResource table(TableRequest request) {
    return Configuration.COLUMNS.table(items, request).from(replica, partial, replicas);
  }
}
