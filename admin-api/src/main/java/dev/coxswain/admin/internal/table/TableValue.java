// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.table;

/** A value that is sent as a table on request: a list, or one object. */
public interface TableValue {

  /** Returns the table, with the objects in their order. */
  TableResource table(TableRequest request);
}
