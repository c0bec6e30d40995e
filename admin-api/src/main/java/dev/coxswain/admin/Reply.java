// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A successful answer.
 *
 * @param body null for none
 */
record Reply(int status, @Nullable ObjectNode body, Map<String, String> headers) {

  static Reply ok(ObjectNode body) {
    return new Reply(200, body, Map.of());
  }

  static Reply created(ObjectNode body, String location) {
    return new Reply(201, body, Map.of("Location", location));
  }

  static Reply noContent() {
    return new Reply(204, null, Map.of());
  }

  Reply withHeader(String name, String value) {
    return new Reply(status, body, Map.of(name, value));
  }
}
