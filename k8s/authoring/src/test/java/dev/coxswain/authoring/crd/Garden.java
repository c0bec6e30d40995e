// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import com.google.gson.JsonObject;
import com.google.gson.annotations.SerializedName;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.schema.CustomResource;
import dev.coxswain.k8s.schema.PrinterColumn;
import dev.coxswain.k8s.schema.Schema;
import dev.coxswain.k8s.schema.ValidationRule;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A resource with one of everything. */
@KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "gardens")
@CustomResource(
    shortNames = "gd",
    categories = "all",
    columns = {
      @PrinterColumn(name = "Beds", jsonPath = ".spec.beds"),
      @PrinterColumn(name = "Watered", jsonPath = ".status.watered", priority = 1),
      @PrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp")
    },
    scaleSpec = ".spec.beds",
    scaleStatus = ".status.beds")
final class Garden extends CustomObject {

  static final int MOST_BEDS = 40;

  @Schema(required = true)
  @Nullable Spec spec;

  @Nullable Status status;
  transient int notWritten;

  enum Soil {
    CLAY,
    @SerializedName("Loose-Sand")
    SAND
  }

  @Schema(
      description = "What is planted.",
      rules =
          @ValidationRule(
              value = "self.beds * 2 <= self.seeds",
              message = "each bed needs two seeds",
              fieldPath = ".seeds"))
  record Spec(
      @Schema(required = true, pattern = "^[a-z]+$", minLength = 2, maxLength = 10) String name,
      @Schema(minimum = 1, maximum = MOST_BEDS, defaultValue = "3", description = "How many.")
          int beds,
      @Schema(minimum = 0.5) @Nullable Double depth,
      long seeds,
      @Schema(defaultValue = "CLAY") Soil soil,
      @Schema(allowed = {"north", "south"}) @Nullable String side,
      @Schema(maxLength = 2, defaultValue = "[\"sun\"]") List<String> needs,
      Map<String, Tool> tools,
      @Nullable IntOrString gate,
      @Schema(anyJson = true) @Nullable JsonObject extra,
      @Nullable V1PodTemplateSpec shed) {}

  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Tool(boolean sharp, byte[] photo) {}

  record Status(int beds, @Nullable OffsetDateTime watered) {}
}
