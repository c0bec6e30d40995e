// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Components that are added before, after and during the stop: the timeline of the page. */
class DrawnTimelineTest {

  private static final Path PAGE =
      Path.of(
          System.getProperty("basedir", "."), "..", "docs", "guides", "examples", "lifecycle.md");

  /** How long the test waits for a step; the slow component must start within half of it. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Vertx vertx = Vertx.vertx();
  private final Lifecycle lifecycle = new Lifecycle(vertx, LIMIT.multipliedBy(4));
  private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
  private final Map<String, Steps> components = new LinkedHashMap<>();

  /** The marks of a component, by step: its start, started, its stop, stopped. */
  private static final class Steps implements Component {
    private final String name;
    private final BlockingQueue<String> calls;
    private final Promise<Void> start = Promise.promise();
    private final Promise<Void> stop = Promise.promise();
    private final Map<Integer, Character> marks = new LinkedHashMap<>();

    Steps(String name, BlockingQueue<String> calls) {
      this.name = name;
      this.calls = calls;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Future<?> start() {
      calls.add(name + " start");
      return start.future();
    }

    @Override
    public Future<?> stop() {
      calls.add(name + " stop");
      return stop.future();
    }
  }

  private int step;

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private Future<Void> add(Group group, String name) {
    Steps component = new Steps(name, calls);
    components.put(name, component);
    return lifecycle.add(group, component);
  }

  /** Waits for a call of the lifecycle: nothing else is called before it. */
  private void called(String name, String what) throws InterruptedException {
    assertThat(calls.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(name + " " + what);
    mark(name, what.equals("start") ? '(' : ']');
  }

  private void starts(String name) {
    mark(name, '[');
    of(name).start.complete();
  }

  private void stops(String name) {
    mark(name, ')');
    of(name).stop.complete();
  }

  private void mark(String name, char mark) {
    step++;
    of(name).marks.put(step, mark);
  }

  private Steps of(String name) {
    return Objects.requireNonNull(components.get(name));
  }

  @Test
  void timeline_isThatOfThePage() throws Exception {
    add(Group.HTTP, "probes").await();
    add(Group.CACHES, "informers").await();
    add(Group.ALWAYS_ON, "exporter").await();

    Future<Void> started = lifecycle.start();
    called("probes", "start");
    starts("probes");
    called("informers", "start"); // not before the probes have started
    starts("informers");
    called("exporter", "start");
    starts("exporter");
    started.await();

    Future<Void> later = add(Group.CACHES, "plugin cache");
    called("plugin cache", "start"); // at once, although its group has started long ago
    starts("plugin cache");
    later.await();
    add(Group.ALWAYS_ON, "slow job");
    called("slow job", "start");

    Future<Void> stopped = lifecycle.stop();
    called("exporter", "stop");
    Future<Void> refused = add(Group.ALWAYS_ON, "too late");
    assertThat(refused.otherwiseEmpty().await()).isNull();
    assertThat(refused.cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("too late cannot be added: the host is stopping");
    mark("too late", 'x');
    stops("exporter");
    starts("slow job"); // what is still starting is stopped when it has started
    called("slow job", "stop");
    stops("slow job");
    called("plugin cache", "stop"); // not before the later group has stopped
    called("informers", "stop"); // in the same group: both at once
    stops("informers");
    stops("plugin cache");
    called("probes", "stop");
    stops("probes");
    stopped.await();

    assertThat(calls).isEmpty();
    assertThat(drawn(Files.readString(PAGE))).isEqualTo(drawing());
  }

  private List<String> drawing() {
    List<String> lines = new ArrayList<>();
    components.forEach((name, component) -> {
      StringBuilder line = new StringBuilder("%-14s".formatted(name));
      char fill = ' ';
      for (int i = 1; i <= step; i++) {
        Character mark = component.marks.get(i);
        line.append(mark == null ? fill : mark);
        fill =
            mark == null
                ? fill
                : switch (mark) {
                  case '(' -> '.';
                  case '[' -> '=';
                  case ']' -> '.';
                  default -> ' ';
                };
        line.append(fill);
      }
      lines.add(line.toString().stripTrailing());
    });
    return lines;
  }

  /** The block of the page that begins with a line of step numbers. */
  private static List<String> drawn(String page) {
    return page.lines()
        .dropWhile(line -> !line.startsWith("step "))
        .skip(1)
        .takeWhile(line -> !line.startsWith("```"))
        .toList();
  }
}
