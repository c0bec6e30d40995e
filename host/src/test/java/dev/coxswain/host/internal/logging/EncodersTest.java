// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Trigger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class EncodersTest {

  private final LoggerContext context = new LoggerContext();

  @Test
  void text_isOneLineWithPairs_andQuotesWhatIsNotAWord() {
    assertThat(
            text(
                event(
                    Level.WARN,
                    null,
                    new KeyValuePair("controller", "demo"),
                    new KeyValuePair("reason", "two words\nand a line"),
                    new KeyValuePair("attempt", 3))))
        .isEqualTo(
            "2026-01-02T03:04:05Z WARN  it happened logger=dev.coxswain.Some controller=demo"
                + " reason=\"two words\\nand a line\" attempt=3\n");
  }

  @Test
  void aLineOfAnAttempt_hasItsControllerItsKeyAndItsNumber_andItsTraceWhenThereIsOne() {
    LoggingEvent event =
        event(
            Level.INFO,
            null,
            new KeyValuePair("key", "a/b"),
            new KeyValuePair("attempt", "first"),
            new KeyValuePair("size", 3));
    String trace = "0af7651916cd43dd8448eb211c80319c";
    String common = "2026-01-02T03:04:05Z INFO  it happened logger=dev.coxswain.Some";
    AtomicReference<String> line = new AtomicReference<>();
    CurrentAttempt.run(attempt(""), () -> line.set(text(event)));
    assertThat(line)
        .hasValue(common + " controller=demo key=a/b attempt=7 attempt_2=first size=3\n");
    CurrentAttempt.run(
        attempt("00-" + trace + "-b7ad6b7169203331-01"), () -> line.set(json(event)));
    assertThat(line.get())
        .contains("\"controller\":\"demo\",\"key\":\"a/b\",\"attempt\":7,")
        .contains("\"trace_id\":\"" + trace + "\"");
    assertThat(text(event)).isEqualTo(common + " key=a/b attempt=first size=3\n");
  }

  @Test
  void fieldsThatAnAttemptAdded_areCutAndHidden_asAnyOthers() {
    AtomicReference<String> line = new AtomicReference<>();
    Map<String, Object> added = Map.of("api_token", "abc", "n".repeat(1000), "v".repeat(100_000));
    CurrentAttempt.run(attempt("", added), () -> line.set(text(event(Level.INFO, null))));
    assertThat(line.get())
        .contains(" controller=demo ")
        .contains("api_token=")
        .doesNotContain("abc");
    assertThat(line.get().length()).isLessThan(20_000);
  }

  private static ReconcileContext attempt(String traceParent) {
    return attempt(traceParent, Map.of());
  }

  private static ReconcileContext attempt(String traceParent, Map<String, Object> added) {
    return new ReconcileContext() {
      @Override
      public Map<String, Object> logFields() {
        Map<String, Object> fields = ReconcileContext.super.logFields();
        fields.putAll(added);
        return fields;
      }

      @Override
      public String controller() {
        return "demo";
      }

      @Override
      public String key() {
        return "a/b";
      }

      @Override
      public String traceParent() {
        return traceParent;
      }

      @Override
      public long attemptId() {
        return 7;
      }

      @Override
      public int failures() {
        return 0;
      }

      @Override
      public Trigger trigger() {
        return Trigger.EVENT;
      }

      @Override
      public boolean isCancelled() {
        return false;
      }

      @Override
      public void onCancel(Runnable action) {}
    };
  }

  @Test
  void json_isOneObjectPerLine_withTheKeysOfControllerRuntime() throws Exception {
    String line =
        json(
            event(
                Level.INFO,
                null,
                new KeyValuePair("controller", "demo"),
                new KeyValuePair("odd\"key", "a\u0001\u2028\"\\\n"),
                new KeyValuePair("attempt", 3),
                new KeyValuePair("dirty", true),
                new KeyValuePair("none", null)));
    assertThat(line.lines()).hasSize(1);
    JsonNode object = new ObjectMapper().readTree(line);
    assertThat(object.get("ts").asText()).isEqualTo("2026-01-02T03:04:05Z");
    assertThat(object.get("level").asText()).isEqualTo("info");
    assertThat(object.get("logger").asText()).isEqualTo("dev.coxswain.Some");
    assertThat(object.get("msg").asText()).isEqualTo("it happened");
    assertThat(object.get("controller").asText()).isEqualTo("demo");
    assertThat(object.get("odd\"key").asText()).isEqualTo("a\u0001\u2028\"\\\n");
    assertThat(object.get("attempt").asInt()).isEqualTo(3);
    assertThat(object.get("dirty").asBoolean()).isTrue();
    assertThat(object.get("none").isNull()).isTrue();
  }

  /** Fields of an attempt have any names: one with an end of line began a line of its own. */
  @Test
  void keysValuesAndMessages_endNoLine_andHideNothing() throws Exception {
    List<String> bad =
        List.of(
            "a\n2026-01-02T03:04:05Z ERROR forged",
            "a\r\nb",
            "a\u001b[2K\u001b[1Gb",
            "a\u0085b",
            "a\u2028b",
            "a\u202eb\u2066c",
            "a\u200bb",
            "a b=c",
            "a\"b\\",
            "\u00e9",
            "");
    for (String text : bad) {
      AtomicReference<String> line = new AtomicReference<>();
      AtomicReference<String> json = new AtomicReference<>();
      LoggingEvent event = event(text, Level.INFO, null, new KeyValuePair("p" + text, text));
      CurrentAttempt.run(
          attempt("", Map.of(text, text)),
          () -> {
            line.set(text(event));
            json.set(json(event));
          });
      for (String written : List.of(line.get(), json.get())) {
        assertThat(written).endsWith("\n");
        assertThat(written.chars().limit(written.length() - 1).anyMatch(EncodersTest::hides))
            .as(written)
            .isFalse();
      }
      JsonNode object = new ObjectMapper().readTree(json.get());
      assertThat(object.get(text).asText()).isEqualTo(text);
      assertThat(object.get("p" + text).asText()).isEqualTo(text);
    }
    assertThat(text(event(Level.INFO, null, new KeyValuePair("a\nb c", "v"))))
        .endsWith(" \"a\\nb c\"=v\n");
  }

  private static boolean hides(int c) {
    return Character.isISOControl(c) || LineEncoder.isHidden((char) c);
  }

  @Test
  void whereAnErrorCameFrom_isToldAtTheLevelOfErrorsOnly() {
    Exception cause = new IllegalStateException("broken");
    assertThat(json(event(Level.ERROR, cause)))
        .contains("\"error\":\"java.lang.IllegalStateException: broken\"", "\"stacktrace\":");
    assertThat(json(event(Level.WARN, cause)))
        .contains("\"error\":\"java.lang.IllegalStateException: broken\"")
        .doesNotContain("stacktrace");
  }

  /** The error of a pair and that of the event had the same key, which no parser takes well. */
  @Test
  void aKey_isOnALineOnce() throws Exception {
    String line =
        json(
            event(
                Level.DEBUG,
                new IllegalStateException("broken"),
                new KeyValuePair("error", "of the pair"),
                new KeyValuePair("msg", "mine"),
                new KeyValuePair("controller", "a"),
                new KeyValuePair("controller", "b")));
    ObjectMapper strict =
        new ObjectMapper()
            .enable(com.fasterxml.jackson.core.JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
    JsonNode object = strict.readTree(line);
    assertThat(object.get("error").asText()).contains("broken");
    assertThat(object.get("error_2").asText()).isEqualTo("of the pair");
    assertThat(object.get("msg").asText()).isEqualTo("it happened");
    assertThat(object.get("controller_2").asText()).isEqualTo("b");
  }

  @Test
  void durationsAndTimes_areRoundedToMilliseconds() {
    KeyValuePair wait = new KeyValuePair("wait", Duration.ofNanos(25_823_835));
    KeyValuePair until = new KeyValuePair("until", Instant.parse("2026-01-02T03:04:05.678901Z"));
    assertThat(json(event(Level.INFO, null, wait, until)))
        .contains("\"wait\":\"PT0.026S\"", "\"until\":\"2026-01-02T03:04:05.678Z\"");
    assertThat(text(event(Level.INFO, null, wait))).endsWith(" wait=PT0.026S\n");
  }

  @Test
  void longTexts_areCut() {
    String huge = "x".repeat(5_000_000);
    String line =
        json(
            event(
                Level.ERROR,
                new IllegalStateException(huge, new IllegalArgumentException(huge)),
                new KeyValuePair("reason", huge)));
    assertThat(line).hasSizeLessThan(100_000).contains("5000000 characters, cut");
    assertThat(text(event(Level.ERROR, new IllegalStateException(huge)))).hasSizeLessThan(100_000);
  }

  @Test
  void valuesThatAreNamedLikeSecrets_areNeverWritten() {
    for (String key : List.of("password", "bearerToken", "Authorization")) {
      assertThat(json(event(Level.INFO, null, new KeyValuePair(key, "hunter2"))))
          .doesNotContain("hunter2");
    }
  }

  private LoggingEvent event(Level level, @Nullable Throwable cause, KeyValuePair... pairs) {
    return event("it happened", level, cause, pairs);
  }

  private LoggingEvent event(
      String message, Level level, @Nullable Throwable cause, KeyValuePair... pairs) {
    LoggingEvent event =
        new LoggingEvent(
            EncodersTest.class.getName(),
            context.getLogger("dev.coxswain.Some"),
            level,
            message,
            cause,
            null);
    event.setInstant(Instant.parse("2026-01-02T03:04:05Z"));
    event.setKeyValuePairs(List.of(pairs));
    return event;
  }

  private static String text(LoggingEvent event) {
    return new String(new TextEncoder().encode(event), StandardCharsets.UTF_8);
  }

  private static String json(LoggingEvent event) {
    return new String(new JsonEncoder().encode(event), StandardCharsets.UTF_8);
  }
}
