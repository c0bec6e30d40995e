// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.HistoryStore;
import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.admin.spi.PluginDirectory;
import dev.coxswain.admin.spi.SlotDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.internal.controllers.ConfigMapPauseStore;
import dev.coxswain.host.internal.controllers.ControllerManager;
import dev.coxswain.host.internal.limiter.SharedBudgets;
import dev.coxswain.host.internal.plugins.PluginManager;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.view.Condition;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The host as seen by the admin API: controllers, limiters and replicas.
 *
 * @param membership the replica Leases
 * @param hostSlots the slots
 * @param shared the shared limiter of this replica, or null
 * @param stored the store of pauses, or null
 * @param storedHistory the store of finished operations and audit records, or null
 * @param pluginManager the plug-ins, or null
 * @param status the status of the configuration
 * @param standing the conditions of the replica
 * @param informers the caches
 */
record AdminDirectory(
    ControllerManager manager,
    ReplicaMembership membership,
    AdminSlots hostSlots,
    @Nullable SharedBudgets shared,
    @Nullable ConfigMapPauseStore stored,
    @Nullable HistoryStore storedHistory,
    @Nullable PluginManager pluginManager,
    Supplier<ConfigurationStatus> status,
    Supplier<List<Condition>> standing,
    Supplier<List<CacheStatus>> informers)
    implements ControllerDirectory {

  @Override
  public String replica() {
    return manager.replica();
  }

  @Override
  public Snapshot snapshot() {
    return manager.snapshot();
  }

  @Override
  public Optional<ControllerHandle> find(String name) {
    return manager.find(name);
  }

  @Override
  public List<BudgetSnapshot> limiters() {
    return manager.limiters();
  }

  @Override
  public Optional<PauseStore> pauses() {
    return Optional.ofNullable(stored);
  }

  @Override
  public Optional<HistoryStore> history() {
    return Optional.ofNullable(storedHistory);
  }

  @Override
  public Optional<PluginDirectory> plugins() {
    return Optional.ofNullable(pluginManager);
  }

  @Override
  public Optional<ConfigurationStatus> configuration() {
    return Optional.of(status.get());
  }

  @Override
  public Optional<LimiterOverrides> overrides() {
    return shared == null ? Optional.empty() : Optional.of(shared.overrides());
  }

  @Override
  public Optional<SlotDirectory> slots() {
    return Optional.of(hostSlots);
  }

  @Override
  public List<Condition> conditions() {
    return standing.get();
  }

  @Override
  public List<CacheInfo> caches() {
    return informers.get().stream().map(AdminDirectory::view).toList();
  }

  private static CacheInfo view(CacheStatus cache) {
    CacheStatus.Watched watched = cache.watched();
    return new CacheInfo(
        cache.name(),
        cache.phase().label(),
        cache.problem().orElse(""),
        cache.synced(),
        cache.objects(),
        cache.bytes(),
        cache.users(),
        cache.lastContact(),
        watched.selection().label(),
        watched.namespaces(),
        watched.ranges(),
        watched.events(),
        watched.bytes(),
        watched.dropped(),
        watched.droppedBytes(),
        watched.listed(),
        watched.listedBytes(),
        cache.fullFor());
  }

  @Override
  public List<ReplicaInfo> replicas() {
    return membership.status().taken().stream()
        .map(taken ->
            new ReplicaInfo(
                taken.replica(),
                taken.identity(),
                taken.ordinal(),
                taken.since(),
                taken.generation(),
                taken.pool(),
                taken.addresses()))
        .toList();
  }

  @Override
  public Set<String> released() {
    return membership.status().released();
  }
}
