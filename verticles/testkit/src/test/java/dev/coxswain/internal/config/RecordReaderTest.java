// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.spi.Clock;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The configuration of a controller, read as a record. */
class RecordReaderTest {

  private enum Mode {
    DRY_RUN,
    FULL
  }

  private record Target(String url, int weight) {
    private Target {
      if (weight < 0) {
        throw new IllegalArgumentException("weight must not be negative");
      }
    }
  }

  private record Settings(
      String region,
      int workers,
      long bytes,
      double share,
      boolean verbose,
      Duration interval,
      Mode mode,
      Target main,
      List<Target> others,
      Map<String, Duration> limits,
      @Nullable String proxy) {}

  private static final Settings DEFAULTS =
      new Settings(
          "north",
          4,
          10_000_000_000L,
          0.5,
          false,
          Duration.ofMinutes(5),
          Mode.DRY_RUN,
          new Target("http://main", 1),
          List.of(),
          Map.of("calls", Duration.ofSeconds(1)),
          null);

  /** Reads JSON whose texts are in single quotes. */
  private static Settings read(String json) {
    Map<String, Object> config = new JsonObject(json.replace('\'', '"')).getMap();
    ControllerEnvironment environment =
        new ControllerEnvironment() {
          @Override
          public <T> T get(Class<T> type) {
            throw new IllegalStateException();
          }

          @Override
          public Map<String, Object> config() {
            return config;
          }

          @Override
          public Clock clock() {
            return Clock.system();
          }
        };
    return environment.config(DEFAULTS);
  }

  @Test
  void withoutAConfiguration_allIsAsTheDefaultsSay() {
    assertThat(read("{}")).isEqualTo(DEFAULTS);
    assertThat(read("{'region': null, 'workers': null, 'main': null}")).isEqualTo(DEFAULTS);
  }

  @Test
  void eachTypeIsRead_andARecordInsideIsReplacedKeyByKey() {
    Settings settings =
        read(
            """
            {'region': 'south', 'workers': 1e+01, 'bytes': 7, 'share': 1, 'verbose': true,
             'interval': '1m30s', 'mode': 'full', 'main': {'weight': 3},
             'others': [{'url': 'http://a', 'weight': 0}],
             'limits': {'writes': '500ms', 'reads': 0}, 'proxy': 'http://proxy'}
            """);
    assertThat(settings)
        .isEqualTo(
            new Settings(
                "south",
                10,
                7,
                1.0,
                true,
                Duration.ofSeconds(90),
                Mode.FULL,
                new Target("http://main", 3),
                List.of(new Target("http://a", 0)),
                Map.of("writes", Duration.ofMillis(500), "reads", Duration.ZERO),
                "http://proxy"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'regoin': 'x'} | config.regoin: unknown key, known: bytes, interval, limits,",
        "{'region': 7} | config.region: expected a text, in quotes if it looks like a number, found 7",
        "{'workers': 'secret'} | config.workers: expected a whole number, found a text",
        "{'workers': 3000000000} | config.workers: expected a whole number, found 3000000000",
        "{'workers': 1.5} | config.workers: expected a whole number, found 1.5",
        "{'share': [1]} | config.share: expected a number, found a list",
        "{'verbose': 1} | config.verbose: expected true or false, found 1",
        "{'interval': 'soon'} | config.interval: expected a duration such as 500ms, 30s or 1h30m, found \"soon\"",
        "{'mode': 'dry'} | config.mode: expected one of dryRun, full, found \"dry\"",
        "{'main': 'x'} | config.main: expected a map, found a text",
        "{'main': {'weight': -1}} | config.main: weight must not be negative",
        "{'others': {}} | config.others: expected a list, found a map",
        "{'others': [{'url': 'a', 'weight': 1}, {'url': 'b'}]} | config.others[1].weight: missing, expected a whole number",
        "{'others': [null]} | config.others[0]: expected a value",
        "{'limits': {'a': '-1s'}} | config.limits.a: expected a duration",
      })
  void aFault_isReportedWithItsKey(String json, String message) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aRefusalWithoutAMessage_isNamedByItsClass() {
    record Strict(String word) {
      Strict {
        if (word.isEmpty()) {
          throw new IllegalArgumentException();
        }
      }
    }

    assertThatThrownBy(() -> RecordReader.read(new Strict("a"), Map.of("word", "")))
        .hasMessage("config: java.lang.IllegalArgumentException");
  }

  @Test
  void aTypeThatNoConfigurationHas_isRefusedWithItsName() {
    record Wrong(Thread thread) {}

    assertThatThrownBy(() -> RecordReader.read(new Wrong(new Thread()), Map.of("thread", "main")))
        .hasMessageContaining("class java.lang.Thread");
  }
}
