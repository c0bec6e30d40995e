// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.resource.CustomObject;
import io.kubernetes.client.openapi.models.CoreV1Event;
import io.kubernetes.client.openapi.models.CoreV1EventSeries;
import io.kubernetes.client.openapi.models.EventsV1Event;
import io.kubernetes.client.openapi.models.EventsV1EventSeries;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1EmptyDirVolumeSource;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Volume;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  private static final class Own extends CustomObject {
    @SuppressWarnings("UnusedVariable") // read by the JSON mapping
    @Nullable Status status;

    record Status(List<String> conditions, @Nullable Integer count) {}
  }

  @Test
  void emptyCollectionsThatModelsAreBornWith_areNotWritten() {
    V1Pod pod =
        new V1Pod()
            .metadata(new V1ObjectMeta().name("x"))
            .spec(
                new V1PodSpec()
                    .volumes(
                        List.of(new V1Volume().name("v").emptyDir(new V1EmptyDirVolumeSource()))));

    assertThat(Json.encode(pod).toString())
        .isEqualTo(
            "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"volumes\":[{\"emptyDir\":{},\"name\":\"v\"}]}}");
  }

  @Test
  void emptyListOfAnOwnClass_isWritten() {
    Own own = new Own();
    own.status = new Own.Status(new ArrayList<>(), null);

    assertThat(Json.encode(own).get("status").toString()).isEqualTo("{\"conditions\":[]}");
  }

  @Test
  void unknownAndMissingFields_areNoProblem() {
    V1Pod pod =
        Json.decode(
            "{\"aNewOne\":1,\"metadata\":{\"name\":\"x\",\"new\":{}},\"status\":{\"newer\":[{}]}}",
            V1Pod.class);

    assertThat(Objects.requireNonNull(pod.getMetadata()).getName()).isEqualTo("x");
    assertThat(pod.getSpec()).isNull();
  }

  @Test
  void fieldOfAnotherShape_isAParseException() {
    assertThatThrownBy(() -> Json.decode("{\"data\":7}", V1ConfigMap.class))
        .isInstanceOf(JsonParseException.class);
    assertThatThrownBy(() -> Json.decode("{\"spec\":{\"renewTime\":\"yesterday\"}}", V1Lease.class))
        .isInstanceOf(JsonParseException.class)
        .hasMessageContaining("yesterday");
    assertThatThrownBy(() -> Json.decode("null", V1ConfigMap.class))
        .isInstanceOf(JsonParseException.class);
  }

  @Test
  void timesAndBytes_surviveTheWayThereAndBack() {
    OffsetDateTime time = OffsetDateTime.of(2026, 11, 21, 6, 0, 0, 0, ZoneOffset.UTC);
    V1Lease lease = new V1Lease().spec(new V1LeaseSpec().renewTime(time));
    assertThat(Json.encode(lease).toString())
        .isEqualTo("{\"spec\":{\"renewTime\":\"2026-11-21T06:00:00.000000Z\"}}");
    assertThat(
            Objects.requireNonNull(Json.decode(Json.encode(lease), V1Lease.class).getSpec())
                .getRenewTime())
        .isEqualTo(time);

    V1Secret secret = new V1Secret().data(Map.of("k", new byte[] {1, 2, (byte) 200}));
    assertThat(Json.decode(Json.encode(secret), V1Secret.class).getData())
        .containsEntry("k", new byte[] {1, 2, (byte) 200});
  }

  @SuppressWarnings("UnusedVariable") // read by reflection
  private static final class Free {
    @Nullable Map<String, Object> free;
    @Nullable Object any;
    @Nullable OffsetDateTime at;
    @Nullable List<OffsetDateTime> times;
  }

  /** They were doubles: 1 became 1.0, and 2^53 + 1 another number. */
  @Test
  void numbersInFreeFormFields_areWrittenAsTheyWereRead() {
    for (String number :
        List.of(
            "1",
            "0",
            "-7",
            "1.0",
            "1.50",
            "0.1",
            "-2.5",
            "9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "1000000000000000000000000000000",
            "3.141592653589793238462643383279",
            "9".repeat(300))) {
      String text =
          "{\"free\":{\"a\":%1$s,\"deep\":{\"list\":[%1$s,{\"b\":%1$s}]}},\"any\":%1$s}"
              .formatted(number);
      Free read = Json.decode(text, Free.class);
      assertThat(Json.encode(read)).isEqualTo(JsonParser.parseString(text));
      assertThat(Json.encode(read).toString()).as(number).contains("\"a\":" + number + ",");
      Free copy = new Free();
      copy.free = Map.of("copied", Objects.requireNonNull(read.free));
      assertThat(Json.encode(copy).toString()).as(number).contains("\"b\":" + number + "}");
      V1JSONSchemaProps schema =
          Json.decode("{\"default\":{\"n\":%s}}".formatted(number), V1JSONSchemaProps.class);
      assertThat(Json.encode(schema).toString())
          .isEqualTo("{\"default\":{\"n\":%s}}".formatted(number));
    }
  }

  @Test
  void freeFormNumbers_areOfTheSmallestClassThatHasTheirValue() {
    Map<String, Object> free =
        Objects.requireNonNull(
            Json.decode(
                    "{\"free\":{\"a\":1,\"b\":1.5,\"c\":9223372036854775808,\"d\":0.10}}",
                    Free.class)
                .free);
    assertThat(free.get("a")).isEqualTo(1L);
    assertThat(free.get("b")).isEqualTo(1.5);
    assertThat(free.get("c")).isEqualTo(new BigInteger("9223372036854775808"));
    assertThat(free.get("d")).isEqualTo(new BigDecimal("0.10"));
  }

  @Test
  void timesOfOwnClasses_keepFractionAndOffset() {
    for (String time :
        List.of(
            "2026-11-21T06:00:00Z",
            "2026-11-21T06:00:00.123456789Z",
            "2026-11-21T06:00:00.5Z",
            "2026-11-21T06:00:00+02:00",
            "2026-11-21T06:00:00.000001-05:30")) {
      String text = "{\"at\":\"%1$s\",\"times\":[\"%1$s\"]}".formatted(time);
      assertThat(Json.encode(Json.decode(text, Free.class))).hasToString(text);
    }
  }

  /** A server reads a MicroTime with exactly six digits, and a Time with any number. */
  @Test
  void microTimes_haveSixDigits() {
    OffsetDateTime time = OffsetDateTime.of(2026, 11, 21, 8, 0, 0, 0, ZoneOffset.ofHours(2));
    String six = "\"2026-11-21T06:00:00.000000Z\"";
    assertThat(Json.encode(new V1LeaseSpec().acquireTime(time).renewTime(time)))
        .hasToString("{\"acquireTime\":%1$s,\"renewTime\":%1$s}".formatted(six));
    for (Object event :
        List.of(
            new CoreV1Event()
                .eventTime(time)
                .series(new CoreV1EventSeries().lastObservedTime(time)),
            new EventsV1Event()
                .eventTime(time)
                .series(new EventsV1EventSeries().lastObservedTime(time)))) {
      assertThat(Json.encode(event).toString())
          .contains("\"eventTime\":" + six, "\"lastObservedTime\":" + six);
    }
  }

  @Test
  void unstructured_losesNothing_andCannotBeChangedFromOutside() {
    String text =
        "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"big\":12345678901234567890,\"n\":1.50}}";
    Unstructured object = Json.decode(text, Unstructured.class);
    assertThat(object).hasToString(text);

    object.json().addProperty("more", 1);
    object.getMetadata().setName("y");
    object.at("spec").orElseThrow().getAsJsonObject().remove("n");

    assertThat(object).hasToString(text);
    assertThat(object).isEqualTo(Unstructured.of(JsonParser.parseString(text).getAsJsonObject()));
  }

  @Test
  void times_areReadAsByTheJdk() {
    Random random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      OffsetDateTime time =
          OffsetDateTime.ofInstant(
              Instant.ofEpochSecond(random.nextLong(253_402_300_800L)), ZoneOffset.UTC);
      String text = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'").format(time);
      assertThat(Json.time(text)).isEqualTo(OffsetDateTime.parse(text)).isEqualTo(time);
    }
    for (String other : List.of("2026-02-03T04:05:06.000007Z", "2026-02-03T04:05:06+02:00")) {
      assertThat(Json.time(other)).isEqualTo(OffsetDateTime.parse(other));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-02-30T04:05:06Z",
        "2026-02-03T24:05:06Z",
        "2026-0x-03T04:05:06Z",
        "2026-02-03 04:05:06Z",
        ""
      })
  void whatIsNoTime_isRefused(String text) {
    assertThatThrownBy(() -> Json.time(text)).isInstanceOf(DateTimeException.class);
  }
}
