// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters that a controller makes itself. They are in the registry of the host, with the name of
 * the controller as a label, for as long as the controller is built.
 *
 * <p>Thread rule: any thread.
 */
public final class ControllerMeters {

  /** Of one controller, over all of its meters. */
  static final int MAX_SERIES = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(ControllerMeters.class);
  private static final String LABEL = "controller";

  /** The first words of the meters of the host, its libraries and the process. */
  private static final Set<String> RESERVED =
      Set.of("coxswain", "controller", "workqueue", "rest", "leader", "process", "jvm", "vertx");

  private final String controller;
  private final MeterRegistry host;

  /** A registry that is not that of the host: what is made in it can be removed from both. */
  private final CompositeMeterRegistry registry = new OwnRegistry();

  private final Set<Meter.Id> series = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean reported = new AtomicBoolean();

  ControllerMeters(String controller, MeterRegistry host) {
    this.controller = controller;
    this.host = host;
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                return id.replaceTags(Tags.of(id.getTags()).and(LABEL, controller));
              }

              @Override
              public MeterFilterReply accept(Meter.Id id) {
                return accepted(id);
              }
            })
        .onMeterAdded(meter -> series.add(meter.getId()))
        .onMeterRemoved(meter -> series.remove(meter.getId()));
  }

  /** Begins without any meter, for a controller that is built now. */
  public void begin() {
    clear();
    registry.add(host);
  }

  /**
   * Removes all meters: the controller that made them, and what they read, is no longer in use. What its attempts that were
   * abandoned make from now on is not in the host.
   */
  public void end() {
    clear(); // first: of a registry that was taken away nothing is removed
    registry.remove(host);
  }

  /** Returns the registry for the controller. */
  public MeterRegistry registry() {
    return registry;
  }

  private void clear() {
    for (Meter meter : List.copyOf(registry.getMeters())) {
      registry.remove(meter);
    }
    reported.set(false);
  }

  /** A controller may close what it got: the registry of the host stays open. */
  private final class OwnRegistry extends CompositeMeterRegistry {
    @Override
    public void close() {
      ControllerMeters.this.clear();
    }
  }

  private MeterFilterReply accepted(Meter.Id id) {
    String first = id.getName().split("[._]", 2)[0].toLowerCase(Locale.ROOT);
    if (RESERVED.contains(first)) {
      throw new IllegalArgumentException(
          "a meter cannot be called \"%s\": \"%s\" is for those of the host; begin with a word of your own, such as \"%s\""
              .formatted(id.getName(), first, controller.replace('-', '.')));
    }
    if (series.size() < MAX_SERIES || series.contains(id)) {
      return MeterFilterReply.NEUTRAL;
    }
    if (reported.compareAndSet(false, true)) {
      LOG.atWarn()
          .addKeyValue("controller", controller)
          .addKeyValue("meter", id.getName())
          .addKeyValue("limit", MAX_SERIES)
          .log("controller has too many series of its own, further ones are not counted");
    }
    return MeterFilterReply.DENY;
  }
}
