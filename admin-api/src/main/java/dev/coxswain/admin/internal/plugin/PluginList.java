// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.plugin;

import dev.coxswain.admin.internal.model.PluginResource;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plug-ins of one replica, or of all replicas, by name.
 *
 * @param enabled whether the replica loads plug-ins; null in the list of all replicas
 * @param problem why the folder cannot be read; null for none
 * @param folders the folder of each replica; null in the list of one replica
 */
public record PluginList(
    String kind,
    @Nullable String replica,
    @Nullable Boolean enabled,
    @Nullable String problem,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable List<Folder> folders,
    List<PluginResource> items)
    implements ListValue, TableValue {

  private static final String KIND = "PluginList";

  /** The folder of a replica; its problem is empty for none. */
  public record Folder(String replica, boolean enabled, String problem) {}

  /** Returns the list of one replica. */
  public static PluginList of(
      String replica, boolean enabled, @Nullable String problem, List<PluginResource> items) {
    return new PluginList(KIND, replica, enabled, problem, null, null, null, items);
  }

  /** Returns the list of all replicas. */
  public static PluginList merged(List<Folder> folders, List<PluginResource> items) {
    return new PluginList(KIND, null, null, null, null, null, folders, items);
  }

  @Override
  public PluginList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new PluginList(
        kind,
        replica == null ? self : replica,
        enabled,
        problem,
        isPartial,
        states,
        folders,
        items);
  }

  @Override
  public TableResource table(TableRequest request) {
    return PluginResource.COLUMNS.table(items, request).from(replica, partial, replicas);
  }
}
