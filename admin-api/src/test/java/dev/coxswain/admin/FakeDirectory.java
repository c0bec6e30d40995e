// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.HistoryStore;
import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.admin.spi.PluginDirectory;
import dev.coxswain.admin.spi.SlotDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.retry.BudgetSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A directory that a test fills. */
public final class FakeDirectory implements ControllerDirectory {

  public final Map<String, ControllerHandle> handles = new ConcurrentHashMap<>();
  public final List<FailedController> failed = new CopyOnWriteArrayList<>();
  public final List<IdleController> idle = new CopyOnWriteArrayList<>();
  public final List<BudgetSnapshot> budgets = new CopyOnWriteArrayList<>();
  public final List<ReplicaInfo> replicas = new CopyOnWriteArrayList<>();

  /** The identities of those that have released their Lease. */
  public final Set<String> released = ConcurrentHashMap.newKeySet();

  public final List<CacheInfo> caches = new CopyOnWriteArrayList<>();

  private final String name;
  public volatile @Nullable LimiterOverrides overrides;
  public volatile @Nullable PauseStore pauses;
  public volatile @Nullable HistoryStore history;
  public volatile @Nullable SlotDirectory slots;
  public volatile @Nullable PluginDirectory plugins;
  public volatile @Nullable ConfigurationStatus configuration;

  public FakeDirectory() {
    this("coxswain-0");
  }

  public FakeDirectory(String name) {
    this.name = name;
  }

  @Override
  public Optional<LimiterOverrides> overrides() {
    return Optional.ofNullable(overrides);
  }

  @Override
  public List<CacheInfo> caches() {
    return caches;
  }

  @Override
  public Optional<PauseStore> pauses() {
    return Optional.ofNullable(pauses);
  }

  @Override
  public Optional<HistoryStore> history() {
    return Optional.ofNullable(history);
  }

  @Override
  public Optional<SlotDirectory> slots() {
    return Optional.ofNullable(slots);
  }

  @Override
  public Optional<ConfigurationStatus> configuration() {
    return Optional.ofNullable(configuration);
  }

  @Override
  public Optional<PluginDirectory> plugins() {
    return Optional.ofNullable(plugins);
  }

  @Override
  public String replica() {
    return name;
  }

  @Override
  public Snapshot snapshot() {
    Map<String, ControllerHandle> running = Map.copyOf(handles);
    return new Snapshot(
        List.copyOf(running.values()),
        failed.stream().filter(one -> !running.containsKey(one.name())).toList(),
        idle.stream().filter(one -> !running.containsKey(one.name())).toList());
  }

  @Override
  public Optional<ControllerHandle> find(String name) {
    return Optional.ofNullable(handles.get(name));
  }

  @Override
  public List<BudgetSnapshot> limiters() {
    return budgets;
  }

  @Override
  public List<ReplicaInfo> replicas() {
    return replicas;
  }

  @Override
  public Set<String> released() {
    return released;
  }

  /** Returns a cache of which a fifth of the events was dropped. */
  public static CacheInfo cache(String name, String selection) {
    return new CacheInfo(
        name,
        "watching",
        "",
        true,
        7,
        700,
        2,
        Instant.EPOCH,
        selection,
        20,
        17,
        100,
        10_000,
        20,
        2_000,
        9,
        900,
        List.of());
  }
}
