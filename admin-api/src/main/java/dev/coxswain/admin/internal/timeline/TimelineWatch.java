// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import dev.coxswain.admin.internal.notice.Notices;
import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.admin.spi.ControllerDirectory.Snapshot;
import dev.coxswain.admin.spi.PluginDirectory;
import dev.coxswain.admin.spi.SlotDirectory;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares the state of this replica with that of a moment ago, and adds what has changed to the
 * timeline. What was so before the first look is no event. Confined to the admin event loop.
 */
final class TimelineWatch {

  /** A move of slots is one event, not hundreds: it ends when they have stayed for so many looks. */
  private static final int QUIET_LOOKS = 5;

  private final ControllerDirectory directory;
  private final TimelineLog log;
  private final Notices notices;
  private final Clock clock;

  private @Nullable Instant startedAt; // the time of the first look

  /** Whether the start is in the timeline: the first look writes nothing, as JSON is not loaded then. */
  private boolean reported;

  private Map<String, ReplicaInfo> replicas = Map.of();
  private final Set<String> leaving = new HashSet<>(); // replicas that announced their end
  private Map<List<String>, String> conditions = Map.of();
  private Map<String, String> failed = Map.of();
  private Map<String, String> leading = Map.of();
  private Map<String, String> degraded = Map.of();
  private Map<String, String> plugins = Map.of();
  private Map<List<String>, ControllerStatus.Pause> pauses = Map.of();
  private @Nullable Instant configuredAt;
  private long rejections;
  private Map<String, Long> slots = Map.of();
  private Map<String, Long> movingTo = Map.of(); // those of counted, by owner
  private List<SlotDirectory.Slot> counted = List.of();
  private int quietLooks;

  TimelineWatch(ControllerDirectory directory, TimelineLog log, Notices notices, Clock clock) {
    this.directory = directory;
    this.log = log;
    this.notices = notices;
    this.clock = clock;
  }

  /** Compares once. */
  void look() {
    Instant now = clock.instant();
    if (startedAt != null && !reported) {
      reported = true;
      log.add(
          startedAt,
          TimelineType.REPLICA_STARTED,
          null,
          directory.replica(),
          "Replica " + directory.replica() + " has started.");
    }
    SlotDirectory.View view = directory.slots().map(SlotDirectory::view).orElse(null);
    lookAtReplicas(view == null ? List.of() : view.replicas());
    Snapshot all = directory.snapshot();
    lookAtControllers(all);
    notices.idle(all.idle());
    lookAtLimiters();
    lookAtPlugins();
    lookAtConfiguration();
    lookAtSlots(view == null ? List.of() : view.slots());
    if (startedAt == null) {
      startedAt = now;
    }
  }

  /**
   * Reports the keys that have come or changed, and those that have gone.
   *
   * @return the state for the next look
   */
  private <K, V> Map<K, V> changes(
      Map<K, V> before, Map<K, V> now, BiConsumer<K, V> came, BiConsumer<K, V> gone) {
    if (startedAt != null) {
      before.forEach((key, value) -> {
        if (!now.containsKey(key)) {
          gone.accept(key, value);
        }
      });
      now.forEach((key, value) -> {
        if (!value.equals(before.get(key))) {
          came.accept(key, value);
        }
      });
    }
    return now;
  }

  private void lookAtReplicas(List<SlotDirectory.Share> shares) {
    Map<String, ReplicaInfo> now = new TreeMap<>();
    directory.replicas().forEach(one -> now.putIfAbsent(one.name(), one));
    replicas = changes(replicas, now, this::replicaCame, this::replicaLeft);
    leaving.retainAll(now.keySet());
    for (SlotDirectory.Share share : shares) {
      if (share.leaving()) {
        leaving.add(share.replica());
      }
    }
  }

  /** What a replica publishes in its Lease may change. */
  private void replicaCame(String name, ReplicaInfo replica) {
    if (!replicas.containsKey(name)) {
      log.add(
          TimelineType.REPLICA_JOINED, null, name, "Replica " + name + " holds a replica Lease.");
    }
  }

  private void replicaLeft(String name, ReplicaInfo replica) {
    log.add(
        TimelineType.REPLICA_LEFT,
        null,
        name,
        "Replica "
            + name
            + " holds no replica Lease any more: it was stopped, or its Lease was not renewed.");
    if (!name.equals(directory.replica())) {
      // One without slots announces its end and ends at once, mostly between two looks.
      boolean stopped = leaving.contains(name) || directory.released().contains(replica.identity());
      notices.replicaLeft(replica, stopped);
    }
  }

  private void lookAtControllers(Snapshot all) {
    Map<String, String> nowFailed = new TreeMap<>();
    all.failed().forEach(one -> nowFailed.put(one.name(), one.error()));
    failed =
        changes(
            failed,
            nowFailed,
            (name, error) ->
                log.add(TimelineType.START_FAILED, name, null, "It could not be started: " + error),
            (_, _) -> {});
    Map<List<String>, String> nowConditions = new HashMap<>();
    Set<ConditionType> ofReplica = EnumSet.noneOf(ConditionType.class);
    for (Condition one : directory.conditions()) {
      ofReplica.add(one.type());
      nowConditions.put(List.of("", one.type().label()), one.message());
    }
    Map<String, String> nowLeading = new TreeMap<>();
    Map<List<String>, ControllerStatus.Pause> nowPaused = new HashMap<>();
    for (ControllerHandle handle : all.running()) {
      try {
        ControllerStatus status = handle.status();
        for (Condition one : status.conditions()) {
          if (!ofReplica.contains(one.type())) { // each controller has those of the replica
            nowConditions.put(List.of(handle.name(), one.type().label()), one.message());
          }
        }
        if (handle.options().ownership() == Ownership.LEADER) {
          nowLeading.put(handle.name(), "");
        }
        pausesOf(handle.name(), status, nowPaused);
      } catch (RuntimeException e) {
        return; // its state cannot be read, which the list of controllers reports; nothing has
        // ended
      }
    }
    conditions = changedConditions(nowConditions);
    leading =
        changes(
            leading,
            nowLeading,
            (name, _) ->
                log.add(
                    TimelineType.OWNER_CHANGED,
                    name,
                    directory.replica(),
                    "It runs on " + directory.replica() + "."),
            (name, _) ->
                log.add(
                    TimelineType.OWNER_CHANGED,
                    name,
                    directory.replica(),
                    "It runs on " + directory.replica() + " no longer."));
    pauses = changes(pauses, nowPaused, this::paused, this::resumed);
  }

  /** One that began before the first look was reported by the replicas that were there. */
  private void paused(List<String> key, ControllerStatus.Pause pause) {
    if (startedAt != null && !pause.since().isBefore(startedAt)) {
      notices.paused(key.getFirst(), key.getLast(), pause);
    }
  }

  private void resumed(List<String> key, ControllerStatus.Pause pause) {
    Instant until = pause.until();
    if (until == null || until.isAfter(clock.instant())) {
      return; // a caller has ended it, or the controller has stopped here
    }
    notices.pauseEnded(key.getFirst(), key.getLast(), until);
    log.add(
        TimelineType.PAUSE_ENDED,
        key.getFirst(),
        key.getLast().isEmpty() ? null : key.getLast(),
        key.getLast().isEmpty()
            ? "Its pause has ended by itself."
            : "The pause of cause " + key.getLast() + " has ended by itself.");
  }

  /** The message of a condition may have a number that changes; its type tells whether it is new. */
  private Map<List<String>, String> changedConditions(Map<List<String>, String> now) {
    now.replaceAll((key, message) -> conditions.getOrDefault(key, message));
    return changes(
        conditions,
        now,
        (key, message) -> {
          log.add(TimelineType.CONDITION_BEGAN, controller(key), subject(key), message);
          if (controller(key) == null) {
            notices.conditionBegan(key.getLast());
          }
        },
        (key, _) -> {
          log.add(
              TimelineType.CONDITION_ENDED,
              controller(key),
              subject(key),
              key.getLast() + " has ended.");
          if (controller(key) == null) {
            notices.conditionEnded(key.getLast());
          }
        });
  }

  private static @Nullable String controller(List<String> key) {
    return key.getFirst().isEmpty() ? null : key.getFirst();
  }

  /** Each replica has conditions of its own. */
  private String subject(List<String> key) {
    return key.getLast() + "@" + directory.replica();
  }

  private static void pausesOf(
      String name, ControllerStatus status, Map<List<String>, ControllerStatus.Pause> pauses) {
    ControllerStatus.Pause pause = status.pause();
    if (pause != null) {
      pauses.put(List.of(name, ""), pause);
    }
    status.pausedCauses().forEach((cause, one) -> pauses.put(List.of(name, cause.id()), one));
  }

  private void lookAtLimiters() {
    Map<String, String> now = new TreeMap<>();
    for (BudgetSnapshot limiter : directory.limiters()) {
      if (limiter.degraded() != null) {
        now.put(limiter.name(), limiter.degraded());
      }
    }
    now.replaceAll((name, why) -> degraded.getOrDefault(name, why));
    notices.limiters(now);
    degraded =
        changes(
            degraded,
            now,
            (name, why) ->
                log.add(
                    TimelineType.LIMITER_DEGRADED,
                    null,
                    name + "@" + directory.replica(),
                    "Limiter " + name + " is degraded: " + why),
            (name, _) ->
                log.add(
                    TimelineType.LIMITER_RECOVERED,
                    null,
                    name + "@" + directory.replica(),
                    "Limiter " + name + " is shared again."));
  }

  private void lookAtPlugins() {
    Map<String, String> now = new TreeMap<>();
    for (PluginDirectory.Plugin one :
        directory.plugins().map(PluginDirectory::plugins).orElse(List.of())) {
      now.put(one.name(), one.phase().label() + (one.error().isEmpty() ? "" : ": " + one.error()));
    }
    plugins =
        changes(
            plugins,
            now,
            (name, state) -> {
              log.add(
                  TimelineType.PLUGIN_CHANGED,
                  null,
                  name + "@" + directory.replica(),
                  "Plug-in " + name + " is " + state);
              if (state.startsWith(PluginDirectory.Phase.FAILED.label())) {
                notices.pluginFailed(name, state);
              }
            },
            (name, _) ->
                log.add(
                    TimelineType.PLUGIN_CHANGED,
                    null,
                    name + "@" + directory.replica(),
                    "The files of plug-in " + name + " were removed."));
  }

  private void lookAtConfiguration() {
    Instant now = directory.configuration().map(ConfigurationStatus::loadedAt).orElse(null);
    long rejectedNow =
        directory.configuration().map(ConfigurationStatus::rejections).orElse(rejections);
    if (startedAt != null && rejectedNow > rejections) {
      notices.configurationRejected(
          directory.configuration().map(ConfigurationStatus::errors).orElse(List.of()));
    }
    rejections = rejectedNow;
    Instant before = configuredAt;
    configuredAt = now;
    if (startedAt != null && now != null && before != null && now.isAfter(before)) {
      log.add(
          TimelineType.CONFIGURATION_RELOADED,
          null,
          directory.replica(),
          "The changed configuration is in use on "
              + directory.replica()
              + directory
                  .configuration()
                  .map(status -> ": " + String.join(", ", status.changed()))
                  .orElse(""));
    }
  }

  @SuppressWarnings("ReferenceEquality") // a view keeps its slots as long as none has changed
  private void lookAtSlots(List<SlotDirectory.Slot> entries) {
    Map<String, Long> now = entries == counted ? movingTo : byOwner(entries);
    counted = entries;
    quietLooks = now.equals(movingTo) ? quietLooks + 1 : 0;
    movingTo = now;
    if (quietLooks < QUIET_LOOKS || now.equals(slots)) {
      return;
    }
    if (!slots.isEmpty()) {
      TreeSet<String> names = new TreeSet<>(slots.keySet());
      names.addAll(now.keySet());
      log.add(
          TimelineType.SLOTS_MOVED,
          null,
          null,
          names.stream()
              .filter(name -> !now.getOrDefault(name, 0L).equals(slots.getOrDefault(name, 0L)))
              .map(name ->
                  (name.isEmpty() ? "without an owner" : name)
                      + " "
                      + slots.getOrDefault(name, 0L)
                      + " -> "
                      + now.getOrDefault(name, 0L))
              .collect(Collectors.joining(", ", "Slots have moved: ", ".")));
    }
    slots = now;
  }

  private static Map<String, Long> byOwner(List<SlotDirectory.Slot> entries) {
    Map<String, Long> slots = new TreeMap<>();
    for (SlotDirectory.Slot slot : entries) {
      slots.merge(slot.owner() == null ? "" : slot.owner().replica(), 1L, Long::sum);
    }
    return slots;
  }
}
