// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

/** A kind of write. */
enum Phase {
  CREATE("POST", "application/json", 201),
  UPDATE("PUT", "application/json", 200),
  PATCH("PATCH", "application/merge-patch+json", 200);

  private final String method;
  private final String contentType;
  private final int status;

  Phase(String method, String contentType, int status) {
    this.method = method;
    this.contentType = contentType;
    this.status = status;
  }

  /** The status of an answer that means success. */
  int status() {
    return status;
  }

  /** Returns a whole request: creates object number {@code index}, or writes a revision of it. */
  byte[] request(int index, int revision) {
    byte[] body = this == PATCH ? Maps.patch(revision) : Maps.object(index, revision);
    String path = this == CREATE ? Maps.collection(index) : Maps.path(index);
    return Wire.request(method, path, contentType, body);
  }
}
