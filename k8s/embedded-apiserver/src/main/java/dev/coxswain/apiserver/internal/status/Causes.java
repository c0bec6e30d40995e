// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.ArrayList;

/** The faults of one object, in the order they were found; confined to one thread. */
public final class Causes extends ArrayList<Cause> {
  private static final long serialVersionUID = 1L;

  /** Returns an object whose checks add causes here. */
  public Field of(JsonNode object) {
    return new Field(object, "", this);
  }

  /** Returns a field without a value. */
  public Field at(String path) {
    return new Field(MissingNode.getInstance(), path, this);
  }

  /** Returns a field with a text. */
  public Field at(String path, String text) {
    return new Field(Json.text(text), path, this);
  }

  /** Throws a 422 when there is a cause. */
  public void throwIfAny(ApiException.Names names, String name) {
    if (!isEmpty()) {
      throw ApiException.invalid(names, name, this);
    }
  }
}
