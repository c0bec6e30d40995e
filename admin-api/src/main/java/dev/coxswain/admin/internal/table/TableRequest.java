// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.table;

import java.time.Instant;

/**
 * A request for a table.
 *
 * @param now the time that ages are relative to
 * @param withObjects whether each row has its object
 */
public record TableRequest(Instant now, boolean withObjects) {

  /** The media type of a table. */
  public static final String TYPE = "application/json;as=Table";

  /** The same, whose rows have their objects. */
  public static final String WITH_OBJECTS = TYPE + ";include=Object";
}
