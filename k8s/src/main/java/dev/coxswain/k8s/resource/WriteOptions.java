// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The options of writes, see {@link Resource#with}.
 *
 * <p>Thread rule: immutable.
 *
 * @param fieldManager the owner of the written fields; never empty
 * @param dryRun whether the server checks a write and answers it, and stores nothing
 * @param fieldValidation the treatment of unknown and duplicate fields
 */
@RecordBuilder
public record WriteOptions(String fieldManager, boolean dryRun, FieldValidation fieldValidation)
    implements WriteOptionsBuilder.With {

  /** The treatment of fields that the schema of the object does not have, or that appear twice. */
  public enum FieldValidation {
    /** The default of the server, which is {@link #WARN}. */
    SERVER_DEFAULT(""),
    /** They are dropped. */
    IGNORE("Ignore"),
    /** They are dropped, and logged once. */
    WARN("Warn"),
    /** The write is refused. */
    STRICT("Strict");

    private final String text;

    FieldValidation(String text) {
      this.text = text;
    }
  }

  public WriteOptions {
    Objects.requireNonNull(fieldValidation, "fieldValidation");
    if (fieldManager.isEmpty()) {
      throw new IllegalArgumentException("the field manager must not be empty");
    }
  }

  /** Returns the query parameters of a creation, an update or a patch. */
  Map<String, String> query() {
    Map<String, String> query = new HashMap<>();
    query.put("fieldManager", fieldManager);
    if (dryRun) {
      query.put("dryRun", "All");
    }
    if (!fieldValidation.text.isEmpty()) {
      query.put("fieldValidation", fieldValidation.text);
    }
    return query;
  }
}
