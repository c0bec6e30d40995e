// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.notice;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.options.ClusterNotice;
import dev.coxswain.admin.internal.options.NoticeSink;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus.Pause;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what is worth a notice. Every replica chooses for itself: the identity of a notice comes from
 * what all of them read, such as the time in a Lease, so that it is the same notice. Where there is no
 * such value it has the ten minutes in which it was seen.
 *
 * <p>Thread rule: confined to the admin event loop.
 */
public final class Notices {

  /** A limiter is degraded for some seconds at each start of a replica. */
  static final Duration DEGRADED_FOR = Duration.ofSeconds(30);

  /** Another replica takes over within a Lease. */
  static final Duration UNOWNED_FOR = Duration.ofSeconds(60);

  static final Duration SAME = Duration.ofMinutes(10);
  private static final Duration SAME_REFUSAL = Duration.ofHours(1);
  private static final int MAX_REMEMBERED = 512;
  private static final int MAX_NOTE = 900;

  private final NoticeSink sink;
  private final Clock clock;
  private final Map<String, Instant> degradedSince = new HashMap<>();
  private final Set<String> degradedNoticed = new HashSet<>();
  private final Set<String> unownedNoticed = new HashSet<>();
  private @Nullable Instant unreachableSince;
  private final Map<String, Boolean> added =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  public Notices(NoticeSink sink, Clock clock) {
    this.sink = sink;
    this.clock = clock;
  }

  /**
   * A replica holds no Lease any more.
   *
   * @param stopped whether it was seen leaving, or has released its Lease itself, as in a roll-out
   */
  public void replicaLeft(ReplicaInfo replica, boolean stopped) {
    if (!stopped) {
      add(
          true,
          "ReplicaLost",
          List.of(replica.name(), String.valueOf(replica.since())),
          "Replica "
              + replica.name()
              + " has died or is cut off: its replica Lease expired, and it was not stopping.");
    }
  }

  /** Compares the limiters that are degraded, by name with the reason, with those before. */
  public void limiters(Map<String, String> degraded) {
    Instant now = clock.instant();
    degradedSince.keySet().retainAll(degraded.keySet());
    degraded.forEach((name, why) -> {
      Instant since = degradedSince.computeIfAbsent(name, _ -> now);
      if (!now.isBefore(since.plus(DEGRADED_FOR)) && degradedNoticed.add(name)) {
        add(
            true,
            "LimiterDegraded",
            List.of(name, bucket(SAME)),
            "Limiter " + name + " is split among the replicas: " + why);
      }
    });
    List<String> ended = new ArrayList<>(degradedNoticed);
    ended.removeAll(degraded.keySet());
    ended.forEach(name -> {
      degradedNoticed.remove(name);
      add(
          false,
          "LimiterRecovered",
          List.of(name, bucket(SAME)),
          "Limiter " + name + " is shared again.");
    });
  }

  /** Compares the controllers that do not run here. */
  public void idle(List<IdleController> idle) {
    Instant now = clock.instant();
    Set<String> unowned = new HashSet<>();
    for (IdleController one : idle) {
      if (one.phase() == IdlePhase.STANDBY && !one.owned()) {
        unowned.add(one.name());
        if (!now.isBefore(one.since().plus(UNOWNED_FOR)) && unownedNoticed.add(one.name())) {
          add(
              true,
              "ControllerWithoutOwner",
              List.of(one.name(), bucket(SAME)),
              "No replica has run controller "
                  + one.name()
                  + " for "
                  + UNOWNED_FOR.toSeconds()
                  + " s"
                  + (one.lastOwner() == null
                      ? "."
                      : "; the last one was " + one.lastOwner() + "."));
        }
      }
    }
    unownedNoticed.retainAll(unowned);
  }

  /** A condition of the whole replica holds from now on. */
  public void conditionBegan(String type) {
    if (type.equals(ConditionType.API_SERVER_UNREACHABLE.label())) {
      unreachableSince = clock.instant();
    }
  }

  /** A condition of the whole replica has ended. */
  public void conditionEnded(String type) {
    Instant since = unreachableSince;
    if (type.equals(ConditionType.API_SERVER_UNREACHABLE.label()) && since != null) {
      unreachableSince = null;
      add(
          true,
          "ApiServerOutageEnded",
          List.of(bucket(SAME)),
          "The API server answers again. It had not for more than "
              + Duration.between(since, clock.instant()).toSeconds()
              + " s.");
    }
  }

  /**
   * A controller, or the retries of one of its causes, are paused. It is no news where the controller
   * has only started, as after a failover: the Event of its beginning may have expired since.
   */
  public void paused(String controller, String cause, Pause pause) {
    if (pause.since().isBefore(clock.instant().minus(SAME))) {
      return;
    }
    add(
        false,
        "Paused",
        List.of(controller, cause, pause.since().toString()),
        pause.by()
            + " has paused "
            + what(controller, cause)
            + (pause.until() == null
                ? " without an end"
                : " until " + pause.until().truncatedTo(ChronoUnit.SECONDS))
            + ": "
            + pause.reason());
  }

  /** A pause has ended at its time. */
  public void pauseEnded(String controller, String cause, Instant until) {
    add(
        false,
        "PauseEnded",
        List.of(controller, cause, until.toString()),
        "The pause of " + what(controller, cause) + " has ended by itself.");
  }

  private static String what(String controller, String cause) {
    return cause.isEmpty()
        ? "controller " + controller
        : "the retries of cause " + cause + " of controller " + controller;
  }

  /** A changed configuration is not in use. */
  public void configurationRejected(List<String> errors) {
    String all = String.join("; ", errors);
    add(
        true,
        "ConfigurationRejected",
        List.of(all, bucket(SAME_REFUSAL)),
        "The changed configuration is faulty, the one before stays in use: " + all);
  }

  /** A plug-in could not be loaded or replaced. */
  public void pluginFailed(String plugin, String error) {
    add(
        true,
        "PluginFailed",
        List.of(plugin, error, bucket(SAME_REFUSAL)),
        "Plug-in " + plugin + ": " + error);
  }

  private String bucket(Duration length) {
    return Long.toString(clock.instant().getEpochSecond() / length.toSeconds());
  }

  private void add(boolean warning, String reason, List<String> identity, String note) {
    ClusterNotice notice =
        ClusterNotice.of(clock.instant(), warning, reason, identity, Json.line(note, MAX_NOTE));
    if (added.put(notice.id(), true) == null) {
      sink.add(notice);
    }
  }
}
