// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.resource.CustomObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1EmptyDirVolumeSource;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Volume;
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
