// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.nio.charset.StandardCharsets;

/** ConfigMaps of exactly 2 KiB as a client sends them, the same ones every time. */
final class Maps {
  /** Bytes of JSON of each object. */
  static final int SIZE = 2048;

  static final int NAMESPACES = 100;
  private static final int VALUES = 12;
  private static final int VALUE = 120;

  private Maps() {}

  static String namespace(int index) {
    return "team-" + index % NAMESPACES;
  }

  /** Returns all namespaces as YAML documents. */
  static String namespaces() {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < NAMESPACES; i++) {
      all.append("---\n{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"")
          .append(namespace(i))
          .append("\"}}\n");
    }
    return all.toString();
  }

  static String collection(int index) {
    return "/api/v1/namespaces/" + namespace(index) + "/configmaps";
  }

  static String path(int index) {
    return collection(index) + "/" + name(index);
  }

  private static String name(int index) {
    return "settings-%07d".formatted(index);
  }

  /** Returns an object; those of different revisions differ in one value. */
  static byte[] object(int index, int revision) {
    StringBuilder json = new StringBuilder(SIZE);
    json.append("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"")
        .append(name(index))
        .append("\",\"namespace\":\"")
        .append(namespace(index))
        .append("\",\"labels\":{\"app.kubernetes.io/name\":\"shop\",\"tier\":\"backend\"},")
        .append("\"annotations\":{\"example.com/team\":\"checkout\"}},\"data\":{\"revision\":\"")
        .append(revision)
        .append('"');
    for (int i = 0; i < VALUES; i++) {
      json.append(",\"value-").append(i).append("\":\"");
      fill(json, VALUE);
      json.append('"');
    }
    json.append(",\"rest\":\"");
    fill(json, SIZE - json.length() - 3);
    return json.append("\"}}").toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a merge patch that makes one revision of another. */
  static byte[] patch(int revision) {
    return ("{\"data\":{\"revision\":\"" + revision + "\"}}").getBytes(StandardCharsets.UTF_8);
  }

  private static void fill(StringBuilder json, int length) {
    for (int i = 0; i < length; i++) {
      json.append((char) ('a' + (json.length() * 7 + i) % 26));
    }
  }
}
