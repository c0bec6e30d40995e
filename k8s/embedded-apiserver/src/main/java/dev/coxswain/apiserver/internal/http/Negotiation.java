// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.view.Rendering;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The format requested by the {@code Accept} header; immutable.
 *
 * @param yaml YAML instead of JSON
 * @param shape object, metadata or table
 * @param aggregated aggregated discovery, where it applies
 */
record Negotiation(boolean yaml, Rendering.Shape shape, boolean aggregated) {
  /** The media type of the binary form. */
  static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

  private static final String SINGLE = "application/json, application/yaml, " + PROTOBUF;
  private static final String LIST =
      SINGLE + ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

  static final Negotiation JSON = new Negotiation(false, Rendering.Shape.OBJECT, false);

  /** Reads the header; throws a 406 when nothing in it can be served. */
  static Negotiation of(@Nullable String accept, boolean collection, boolean custom) {
    if (accept == null || accept.isBlank()) {
      return JSON;
    }
    for (String range : accept.split(",", -1)) {
      String[] parts = range.split(";", -1);
      Map<String, String> parameters = new HashMap<>();
      for (int i = 1; i < parts.length; i++) {
        int equal = parts[i].indexOf('=');
        if (equal > 0) {
          parameters.put(
              parts[i].substring(0, equal).strip(), parts[i].substring(equal + 1).strip());
        }
      }
      Rendering.Shape shape = Rendering.Shape.OBJECT;
      boolean aggregated = false;
      boolean supported = true;
      String version = parameters.getOrDefault("v", "");
      switch (parameters.getOrDefault("as", "")) {
        case "" -> {}
        case "Table" -> {
          shape = Rendering.Shape.TABLE;
          supported = meta(parameters.get("g"), version);
        }
        case "PartialObjectMetadata", "PartialObjectMetadataList" -> {
          shape = Rendering.Shape.METADATA;
          supported = meta(parameters.get("g"), version);
        }
        case "APIGroupDiscoveryList" -> {
          aggregated = true;
          supported = !version.equals("v2beta1");
        }
        default -> supported = false;
      }
      switch (parts[0].strip().toLowerCase(Locale.ROOT)) {
        case "application/json", "*/*" -> {
          if (supported) {
            return new Negotiation(false, shape, aggregated);
          }
        }
        case "application/*" -> {
          // not a form of the router of built-in resources
          if (supported && custom) {
            return new Negotiation(false, shape, aggregated);
          }
        }
        case "application/yaml" -> {
          if (supported) {
            return new Negotiation(true, shape, false);
          }
        }
        default -> {}
      }
    }
    if (custom) {
      throw ApiException.of(
          406, "NotAcceptable", "only the following media types are accepted: " + SINGLE, null);
    }
    throw ApiException.of(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: " + (collection ? LIST : SINGLE),
        Json.object());
  }

  /** Returns whether the first form that a client accepts is the binary one, and JSON is none. */
  static boolean onlyProtobuf(@Nullable String accept) {
    if (accept == null || !accept.strip().toLowerCase(Locale.ROOT).startsWith(PROTOBUF)) {
      return false;
    }
    return Arrays.stream(accept.split(",", -1))
        .map(range -> range.split(";", -1)[0].strip().toLowerCase(Locale.ROOT))
        .allMatch(PROTOBUF::equals);
  }

  private static boolean meta(@Nullable String group, String version) {
    return "meta.k8s.io".equals(group) && (version.equals("v1") || version.equals("v1beta1"));
  }
}
